"""`make results`: its commands can be typed, and what the page shows is kept."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.docs_test import _check

sys.path.insert(0, str(ROOT / "benchmarks"))
import results  # noqa: E402

PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def listing(*words, **environment):
    command = [sys.executable, "benchmarks/results.py", *words]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)


@pytest.mark.parametrize("study", results.STUDIES, ids=lambda study: study.name)
def test_commands_can_be_typed(study):
    command = results.filled(study, "data/ud", "out/results")
    assert "{low}" not in command and "{out}" not in command and "{all}" not in command
    words = shlex.split(command)
    assert words[0] == "allennlp"
    _check(words[1:], study.name)
    files = [word for word in words if word.endswith((".jsonnet", ".tsv"))]
    assert files and all((ROOT / path).exists() for path in files)
    known = {row["folder"] for row in results.treebanks()}
    assert {word[8:] for word in words if word.startswith("data/ud/")} <= known


def test_it_lists_and_runs_nothing():
    done = listing()
    assert done.returncode == 0
    assert all(f"\n{study.name}: " in "\n" + done.stdout for study in results.STUDIES)
    assert "hours on one core" in done.stdout


@pytest.mark.parametrize(
    "words, environment, message",
    [
        (["nothing"], {}, "there is no nothing. Choose of udify, low"),
        (["low"], {"UD": "no/such"}, "set UD (no UD_Afrikaans-AfriBooms in 'no/such')"),
    ],
)
def test_mistakes(words, environment, message):
    done = listing(*words, **environment)
    assert done.returncode == 2 and message in done.stderr.splitlines()[-1]


def test_tables_that_are_kept_are_on_the_page():
    kept = {path.name for path in (ROOT / "docs" / "results").glob("*.tsv")}
    assert kept == set(re.findall(r"results/([\w.-]+\.tsv)", PAGE))
