"""`make results`: its commands can be typed, and what the page shows is kept."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import ROOT
from tests.helpers.typed import check_typed
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.typology.features import values

sys.path.insert(0, str(ROOT / "benchmarks"))
import results  # noqa: E402
from study_pretraining import PRETRAINED, SEEN, UNSEEN  # noqa: E402

PAGES = [ROOT / "docs" / "results.md", *(ROOT / "docs" / "results").glob("*.md")]


def listing(*words, **environment):
    command = [sys.executable, "benchmarks/results.py", *words]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)


@pytest.mark.parametrize("study", results.STUDIES, ids=lambda study: study.name)
def test_commands_can_be_typed(study):
    commands = results.filled(study, "data/ud", "out/results")
    assert not any(re.search(r"{\w+}", command) for command in commands)
    found = [shlex.split(command) for command in commands]
    for words in found:
        assert words[0] == "allennlp"
        check_typed(words[1:], study.name)
    words = [word.rpartition("=")[2] for words in found for word in words]
    files = [word.partition(" ")[0] for word in words if ".jsonnet" in word or ".tsv" in word]
    files = [path for path in files if not path.startswith("out/")]
    assert files and all((ROOT / path).exists() for path in files)
    known = {row["folder"] for row in results.treebanks()}
    folders = {path.split("/")[2] for path in words if path.startswith("data/ud/")}
    assert folders <= known


def test_commands_find_their_treebanks():
    found = results.environment("data/ud", results.STUDIES[0])["UD_TRAIN"].split(",")
    assert "data/ud/UD_Turkish-IMST/tr_imst-ud-train.conllu" in found


def test_pretraining_has_treebanks_of_its_own():
    (study,) = (study for study in results.STUDIES if study.name == "pretraining")
    found = results.environment("data/ud", study)
    names = [path.split("/")[2] for path in found["UD_TRAIN"].split(",")]
    assert sorted(names) == sorted(SEEN.split()) and not {*names} & {*UNSEEN.split()}
    assert found["UD_HELD_OUT"].startswith("data/ud/*/*-ud-dev.conllu,")
    # Each command of an encoder names it twice: for the reader and for the model.
    commands = results.filled(study, "data/ud", "out")
    for command in commands:
        for name in PRETRAINED:
            if "ud-experiment" in command:
                assert command.count(f'out/pretraining/encoders/{name}"') == 2


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    """Nothing of a run that is over, --recover for one that is not, no second export."""
    (study,) = (study for study in results.STUDIES if study.name == "pretraining_rehearsal")
    folder = tmp_path / study.name
    for name, files in (
        ("runs/masked", ("config.json", "metrics.json", "model.tar.gz")),
        ("encoders/masked", ("config.json", "model.safetensors", "tokenizer.json")),
        ("runs/full", ("config.json",)),
        ("encoders/full", ("config.json",)),
    ):
        (folder / name).mkdir(parents=True)
        for file in files:
            (folder / name / file).touch()
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command[3:]))
    results.run(study, "data/ud", str(tmp_path))
    found = [(words[0], "--recover" in words, words[-1]) for words in ran[:4]]
    assert [name for name, _, _ in found] == ["train", "ud-export", "train", "ud-export"]
    assert [recover for _, recover, _ in found] == [True, False, False, False]
    assert not (folder / "encoders" / "full").exists() and (folder / "encoders" / "masked").exists()


def test_it_lists_and_runs_nothing():
    done = listing()
    assert done.returncode == 0
    assert all(f"\n{study.name}: " in "\n" + done.stdout for study in results.STUDIES)
    assert "hours on one core" in done.stdout


@pytest.mark.parametrize(
    "words, environment, message",
    [
        (["nothing"], {}, "Unknown study nothing. Choose from udify, low"),
        (["low"], {"UD": "no/such"}, "Set UD: no/such/UD_Irish-IDT does not exist."),
    ],
)
def test_mistakes(words, environment, message):
    done = listing(*words, **environment)
    assert done.returncode == 2 and message in done.stderr.splitlines()[-1]


def test_tables_that_are_kept_are_on_the_pages():
    kept = {path.name for path in (ROOT / "docs" / "results").glob("*.tsv")}
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert kept == set(re.findall(r"\((?:results/)?([\w.-]+\.tsv)\)", pages))


def test_the_study_of_wals_is_of_the_languages_that_wals_knows():
    names = {row["folder"]: row["treebank"] for row in results.treebanks()}

    def known(folder):
        try:
            return bool(values(treebank_language(names[folder]), "wals19"))
        except ConfigurationError:
            return False

    both = results.FOLDERS["typology"].split(), results.FOLDERS["wals"].split()
    assert [folder for folder in both[0] if known(folder)] == both[1]
