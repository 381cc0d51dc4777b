"""The pages are complete and up to date, and the site builds."""

import argparse
import re
import shlex
import subprocess
import sys

import pytest
from allennlp.commands import Subcommand

from docs.reference.commands import command_names
from docs.reference.names import PLACES, registered
from docs.reference.pages import PAGES, filled
from tests.conftest import CONFIGS, ROOT

PAGE = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}


@pytest.mark.parametrize("name", sorted(PAGE))
def test_generated_parts_are_up_to_date(name):
    assert filled(PAGE[name]) == PAGE[name], "Run `python -m docs.reference`."


def test_every_registered_name_has_a_section():
    found = [each for each in registered() if each.base in PLACES]
    assert found == registered(), "Say in docs/reference/names.py where a config names it."
    headings = re.findall(r"^### `(\S+)` (\w+)$", PAGE["names.md"], re.MULTILINE)
    assert {(each.name, each.cls.__name__) for each in found if each.name} == set(headings)
    registered_in_code = set()
    for path in (ROOT / "udify_allennlp").rglob("*.py"):
        if "commands" in path.parts:
            continue
        for name in re.findall(r'^@\w+\.register\("(\w+)"', path.read_text(), re.MULTILINE):
            registered_in_code.add(name)
    assert registered_in_code == {name for name, _ in headings}


def test_every_config_has_a_section():
    files = [*CONFIGS.glob("*.jsonnet"), *CONFIGS.glob("parts/*")]
    headings = set(re.findall(r"^### (\S+sonnet)$", PAGE["configs.md"], re.MULTILINE))
    assert headings == {str(path.relative_to(CONFIGS)) for path in files}


def test_every_command_has_a_section():
    headings = re.findall(r"^## (\S+)$", PAGE["commands.md"], re.MULTILINE)
    assert headings == command_names() and len(headings) >= 11


def test_commands_on_the_pages_have_only_options_that_exist():
    """What `allennlp` is called with in blocks of code: parsed, not run."""
    checked = 0
    for name, page in PAGE.items():
        for block in re.findall(r"^```bash\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line.split(" | ")[-1], comments=True)
                if words[:1] == ["allennlp"]:
                    _check(words[1:], name)
                    checked += 1
    assert checked >= 15


def _check(words, page):
    known = {"--include-package"}
    for action in _parser(words[0])._actions:
        known.update(action.option_strings)
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, f"{page}: {words}"


def _parser(command):
    return Subcommand.by_name(command)().add_subparser(argparse.ArgumentParser().add_subparsers())


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
