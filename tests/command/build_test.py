"""Builds that differ have versions that differ."""

import re
import subprocess

import pytest

from tests.conftest import ROOT
from udify_allennlp import __version__, cli
from udify_allennlp.archives.card import _versions
from udify_command import build, installing

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def git(*words, cwd=ROOT):
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    """A small one, with one commit."""
    (tmp_path / "udify_command").mkdir()
    (tmp_path / "udify_command" / "file").write_text("a")
    git("init", "--quiet", cwd=tmp_path)
    git("add", ".", cwd=tmp_path)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(*who, "commit", "--quiet", "-m", "first", cwd=tmp_path)
    return tmp_path


def test_a_checkout_is_its_commit_and_what_was_changed_since(checkout):
    commit = build.commit_of(checkout)
    assert git("rev-parse", "HEAD", cwd=checkout).startswith(commit) and len(commit) >= 9
    (checkout / "udify_command" / "file").write_text("b")
    assert build.commit_of(checkout) == f"{commit}.dirty"
    git("tag", "v9", cwd=checkout)
    assert build.commit_of(checkout) == f"{commit}.dirty"  # whatever tags there are


def test_without_git_it_is_the_version_alone(tmp_path, checkout, monkeypatch):
    assert build.commit_of(tmp_path / "elsewhere") is None
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert build.commit_of(checkout) is None
    monkeypatch.setattr(build, "_FOLDER", tmp_path / "elsewhere" / "udify_command")
    assert build.build_version.__wrapped__() == __version__


def test_an_installed_build_keeps_its_commit(tmp_path, monkeypatch):
    (tmp_path / build.COMMIT).write_text("abcdef012\n")
    monkeypatch.setattr(build, "_FOLDER", tmp_path)
    assert build.build_version.__wrapped__() == f"{__version__}+abcdef012"


def test_versions_cards_and_faults_name_the_build(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(build, "_FOLDER", tmp_path)
    (tmp_path / build.COMMIT).write_text("abcdef012\n")
    build.build_version.cache_clear()
    try:
        expected = f"{__version__}+abcdef012"
        assert f"udify_allennlp {expected}, allennlp 2" in installing.versions()
        assert _versions()["udify_allennlp"] == expected
        monkeypatch.setattr("allennlp.__main__.run", lambda: 1 / 0)
        monkeypatch.setattr("sys.argv", ["allennlp", "train"])
        with pytest.raises(ZeroDivisionError):
            cli.run()
        assert f"may be a bug, in udify_allennlp {expected}, " in capsys.readouterr().err
    finally:
        build.build_version.cache_clear()


def test_no_released_version_is_built_again():
    """After a tag `v0.2.0` the version is that of the next release."""
    if not (ROOT / ".git").exists():
        pytest.skip("not here: no checkout of git")
    if f"v{__version__}" in git("tag", "--list").split():
        assert f"v{__version__}" in git("tag", "--points-at", "HEAD").split()


def test_the_changelog_begins_with_the_release_that_is_being_made():
    heads = re.findall(r"^## (\S+)(.*)$", CHANGELOG, re.MULTILINE)
    release, _, development = __version__.partition(".dev")
    assert heads[0][0] == release
    assert (heads[0][1].strip() == "(unreleased)") == bool(development)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    released = [name for name, note in heads if note.strip() != "(unreleased)"]
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == released[0]
