"""The pages are complete and up to date, and the site builds."""

import re
import shlex
import subprocess
import sys

import pytest
from setuptools.config.setupcfg import read_configuration

from docs.reference.commands import command_parsers
from docs.reference.names import PLACES, registered
from docs.reference.pages import PAGES, filled
from tests.apps.service import browser as browsers
from tests.conftest import CONFIGS, ROOT
from tests.helpers import wait_for
from tests.helpers.typed import check_typed
from udify_command.commands import ACTIONS
from udify_command.installing import NEEDED

TARGETS = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
SOURCE = {
    str(path.relative_to(PAGES)): path.read_text(encoding="utf-8") for path in PAGES.rglob("*.md")
}
# As the site has them.
PAGE = {name: filled(text, site=True) for name, text in SOURCE.items()}

TYPED = {
    **PAGE,
    **{
        name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")
    },
    "benchmarks/README.md": (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("name", sorted(SOURCE))
def test_generated_parts_are_up_to_date(name):
    assert filled(SOURCE[name]) == SOURCE[name], "Run `python -m docs.reference`."


def test_the_site_alone_has_what_repeats_the_code():
    for name in ("commands.md", "configs.md", "names.md"):
        assert 5 * len(SOURCE[name]) < len(PAGE[name]), name
    assert filled(PAGE["names.md"]) == SOURCE["names.md"]


def test_the_tutorial_makes_the_folder_that_it_writes_to():
    page = SOURCE["tutorial.md"]
    assert page.index("mkdir -p out\n") < page.index("--output-file out/")


def test_every_registered_name_has_a_section():
    found = [each for each in registered() if each.base in PLACES]
    assert found == registered(), "Say in docs/reference/names.py where a config names it."
    headings = re.findall(r"^### `(\S+)` (\w+)$", PAGE["names.md"], re.MULTILINE)
    assert {(each.name, each.cls.__name__) for each in found if each.name} == set(headings)
    registered_in_code = set()
    for path in (ROOT / "udify_allennlp").rglob("*.py"):
        if "commands" in path.relative_to(ROOT).parts:
            continue
        for name in re.findall(r'^@\w+\.register\("(\w+)"', path.read_text(), re.MULTILINE):
            registered_in_code.add(name)
    assert registered_in_code == {name for name, _ in headings}


def test_every_config_has_a_section():
    files = [*CONFIGS.rglob("*.jsonnet"), *CONFIGS.glob("parts/*")]
    headings = set(re.findall(r"^### (\S+sonnet)$", PAGE["configs.md"], re.MULTILINE))
    assert headings == {str(path.relative_to(CONFIGS)) for path in files}


def test_every_dependency_is_on_the_page_of_licences():
    options = read_configuration(ROOT / "setup.cfg")["options"]
    extras = [each for group in options["extras_require"].values() for each in group]
    needed = {re.split(r"[<>=\[]", each)[0] for each in [*options["install_requires"], *extras]}
    packages, _, _ = PAGE["licences.md"].partition("## Data")
    listed = dict(
        re.findall(r"(?<= )([a-zA-Z0-9][\w.-]+)\s+\(([^)]+)\)", packages.partition("##")[2])
    )
    assert needed | set(NEEDED) == set(listed)
    gpl = {name for name, licence in listed.items() if "GPL" in licence}
    assert gpl == {"udtools"}
    assert not gpl & {re.split(r"[<>=\[]", each)[0] for each in options["install_requires"]}


def test_nothing_of_ours_imports_what_is_under_the_gpl():
    for path in (ROOT / "udify_allennlp").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) (udtools|udapi)", path.read_text(), re.MULTILINE)


def test_every_command_has_a_section():
    headings = re.findall(r"^## (.+)$", PAGE["commands.md"], re.MULTILINE)
    assert headings == list(command_parsers()) and len(headings) >= 11
    assert "SUPPRESS" not in PAGE["commands.md"]


@pytest.mark.parametrize("name", sorted(TYPED))
def test_what_users_are_told_to_type_exists(name):
    """In blocks of code and in running text: commands and options, targets of make, extras, our
    files. Parsed, not run."""
    for words in _typed(TYPED[name]):
        if words[0] == "allennlp" and not words[1].isupper():  # `allennlp COMMAND`
            check_typed(words[1:], name)
        elif words[0] == "make":
            targets = [word for word in words[1:] if word.isidentifier() or "-" in word[1:]]
            unknown = [target for target in targets if "=" not in target and target not in TARGETS]
            assert not unknown, f"{name}: make {unknown}"
        elif words[0] == "pip":
            extras = [each for word in words for each in re.findall(r"\[(.*?)\]", word)]
            known = read_configuration(ROOT / "setup.cfg")["options"]["extras_require"]
            assert {one for each in extras for one in each.split(",")} <= known.keys(), name
        for word in words:
            if re.match(r"(training_config|fixtures|benchmarks|docs|tests)/[\w./-]+\.\w+$", word):
                assert (ROOT / word).exists(), f"{name}: {word}"


def test_there_is_enough_to_type():
    commands = [
        words[1] for page in TYPED.values() for words in _typed(page) if words[0] == "allennlp"
    ]
    assert len(commands) >= 40 and {"train", "predict", "evaluate", "ud-parse"} <= set(commands)
    readme = [words[0] for words in _typed(TYPED["README.md"])]
    assert readme.count("make") >= 2 and readme.count("allennlp") >= 12


def test_the_readme_is_short_and_its_links_lead_somewhere():
    readme = TYPED["README.md"]
    assert len(readme.split()) <= 900
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)", readme)
    assert len(links) >= 20
    for path, anchor in links:
        text = (ROOT / path).read_bytes()
        if anchor:
            headings = re.findall(r"^#+ (.+)$", text.decode(), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings]
            assert anchor in slugs, f"{path}#{anchor}"


def _typed(page):
    """The words of each command on a page."""
    blocks = re.findall(r"^```(?:bash|text)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`((?:allennlp|make|pip install) [^`]+)`", page)
    for line in lines:
        for command in line.split(" | "):
            try:
                words = shlex.split(command, comments=True)
            except ValueError:  # an apostrophe: no command
                continue
            if words[:1] in (["allennlp"], ["make"], ["pip"]) and words[1:]:
                yield words


SOURCES = [
    *(path for part in ("udify_allennlp", "benchmarks") for path in (ROOT / part).rglob("*.py")),
    *CONFIGS.rglob("*.*sonnet"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")),
    *PAGES.rglob("*.md"),
]


def test_commands_that_are_named_anywhere_exist():
    """Help texts, messages, comments and pages use today's names and existing actions."""
    parsers, named = command_parsers(), 0
    for path in SOURCES:
        text = " ".join(re.sub(r"^\s*//", " ", path.read_text(), flags=re.MULTILINE).split())
        for name, action in re.findall(
            r"(?:`|allennlp )(ud-[a-z]+(?:-[a-z]+)*)(?: ([a-z]+))?", text
        ):
            named += 1
            assert name in parsers, f"{path}: {name}"
            if name in ACTIONS and action:
                assert f"{name} {action}" in parsers, f"{path}: {name} {action}"
    assert named >= 100


def test_the_site_builds_without_warnings_and_fetches_nothing(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(
            r'<(?:script|img|link rel="(?:stylesheet|preconnect)")[^>]*"http', text
        )
        assert not fetched, page
    if not browsers.FOUND:
        pytest.skip("not here: no Chromium")
    browser = browsers.Browser(tmp_path / "browser")
    try:
        browser.visit(f"{(tmp_path / 'search.html').as_uri()}?q=unfreezing")  # without a server
        found = "document.querySelector('#mkdocs-search-results article a').textContent"
        wait_for(lambda: browser.ask("document.querySelectorAll('article h3').length"))
        assert "Unfreeze" in browser.ask(found)
    finally:
        browser.close()
