"""Guards against tests that silently do not run: skips, empty globs, ignored warnings."""

import warnings

import pytest

pytest_plugins = ["pytester"]

SKIPS = """
import pytest

def test_needs_a_package():
    pytest.importorskip("no_such_package")

@pytest.mark.skipif(True, reason="fixtures/encoder is not there")
def test_needs_a_fixture():
    pass

@pytest.mark.skipif(True, reason="not here: no GPU")
def test_needs_a_gpu():
    pass

@pytest.mark.xfail
def test_fails_as_expected():
    assert False
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs a test file under the hooks of `conftest.py`, in CI or not."""

    def execute(text, ci):
        monkeypatch.delenv("UDIFY_CI", raising=False)
        if ci:
            monkeypatch.setenv("UDIFY_CI", "true")
        return pytester.runpytest_inprocess("-p", "tests.conftest", pytester.makepyfile(text))

    return execute


def test_at_home_a_test_may_be_skipped(run):
    run(SKIPS, ci=False).assert_outcomes(skipped=3, xfailed=1)


def test_in_ci_only_for_what_the_machine_is(run):
    result = run(SKIPS, ci=True)
    # Both fail where pytest has them skipped: in the test, and before it.
    result.assert_outcomes(failed=1, errors=1, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(["*skipped in CI: could not import 'no_such_package'*"])
    result.stdout.fnmatch_lines(["*skipped in CI: fixtures/encoder is not there*"])


def test_in_ci_a_whole_file_is_not_skipped_either(run):
    text = "import pytest\npytest.importorskip('no_such_package')\ndef test_a(): pass"
    run(text, ci=False).assert_outcomes(skipped=1)
    run(text, ci=True).assert_outcomes(errors=1)


def test_the_settings_of_pytest(pytestconfig):
    assert pytestconfig.getini("empty_parameter_set_mark") == "fail_at_collect"
    assert "-ra" in pytestconfig.getini("addopts")


@pytest.mark.parametrize("name", ["udify_allennlp", "udify_allennlp.data.table"])
@pytest.mark.parametrize("category", [UserWarning, DeprecationWarning, FutureWarning])
def test_a_warning_that_our_package_is_given_is_an_error(name, category):
    warn = "import warnings\nwarnings.warn('torch.jit is old', category)"
    with pytest.raises(category, match="torch.jit is old"):
        exec(warn, {"__name__": name, "category": category})


@pytest.mark.parametrize("name", ["allennlp.models", "udify_allennlp_plugin"])
def test_that_of_another_package_is_not(name):
    with warnings.catch_warnings(record=True) as caught:
        exec("import warnings\nwarnings.warn('old')", {"__name__": name})
    assert [str(warning.message) for warning in caught] == ["old"]
