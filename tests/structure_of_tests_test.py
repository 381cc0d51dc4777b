"""Test modules stand alone: shared code lives in `tests/helpers/`."""

import ast
from collections import Counter

from tests.conftest import ROOT


def imported(path):
    """The dotted names that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def of_tests(name):
    """True if a dotted name is a test module, or is in one."""
    return any(part.endswith("_test") for part in name.split("."))


def test_no_module_imports_a_test_module():
    paths = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/*.py")]
    assert len(paths) > 200
    found = [f"{p.relative_to(ROOT)}: {n}" for p in paths for n in imported(p) if of_tests(n)]
    assert not found, "Move what is shared to tests/helpers/."


def test_such_an_import_is_found(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(
        "def late():\n    from tests.text import conllu_test as other\nimport tests.helpers"
    )
    assert [n for n in imported(path) if of_tests(n)] == ["tests.text.conllu_test"]


def test_no_two_test_modules_share_a_name():
    """pytest imports each under its own name alone, and refuses a second one."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("*_test.py"))
    assert not [name for name, count in names.items() if count > 1]
