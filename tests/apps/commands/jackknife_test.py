"""`allennlp ud-jackknife`: no sentence is parsed by a model that has seen it."""

import re
import sys
from itertools import islice

import pytest

from tests.conftest import CONFIGS
from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp import cli
from udify_allennlp.apps.studies import runs
from udify_allennlp.text.conllu import read_sentences, write_sentences

COUNT = 11


@pytest.fixture
def jackknife(tmp_path, monkeypatch, capfd):
    """Runs the command on a small treebank: exit code and errors."""
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_DEV", DEV)
    write_sentences(islice(read_sentences(TRAIN), COUNT), str(tmp_path / "x-ud-train.conllu"))

    def run(*words, out="out"):
        given = (CONFIGS / "tiny.jsonnet", tmp_path / "x-ud-train.conllu")
        settings = ("--out", tmp_path / out, "-o", '{"trainer.num_epochs": 1}')
        command = ["allennlp", "ud-jackknife", *map(str, (*given, *settings, *words))]
        monkeypatch.setattr(sys, "argv", command)
        return cli.run(), capfd.readouterr().err

    return run


def test_each_part_is_parsed_by_a_model_of_the_others(jackknife, tmp_path, monkeypatch):
    assert jackknife("--folds", 2)[0] == 0
    gold = list(read_sentences(str(tmp_path / "x-ud-train.conllu")))
    parsed = list(read_sentences(str(tmp_path / "out" / "x-ud-train.conllu")))
    assert [(s.line, s.forms) for s in parsed] == [(s.line, s.forms) for s in gold]
    assert [s.heads for s in parsed] != [s.heads for s in gold]
    seen = [
        {
            s.text
            for s in read_sentences(str(tmp_path / "out" / "folds" / str(i) / "x-ud-train.conllu"))
        }
        for i in range(2)
    ]
    assert [len(texts) for texts in seen] == [6, 5]
    assert seen[0] | seen[1] == {s.text for s in gold} and not seen[0] & seen[1]
    # Again: no model is trained, and the same is written.
    before = (tmp_path / "out" / "x-ud-train.conllu").read_bytes()
    monkeypatch.setattr(runs, "train_model", None)
    assert jackknife("--folds", 2)[0] == 0
    assert (tmp_path / "out" / "x-ud-train.conllu").read_bytes() == before
    code, errors = jackknife("--folds", 3)
    assert code == 1 and "belongs to another treebank, or to other folds. Remove" in errors


@pytest.mark.parametrize(
    "words, out, message",
    [
        (("--folds", 1), "out", "x-ud-train.conllu cannot be cut into 1 folds. Use from 2"),
        (("--folds", COUNT + 1), "out", "Use from 2 up to its number"),
        ((), ".", "which would be replaced. Name another"),
    ],
)
def test_what_cannot_be(jackknife, words, out, message):
    code, errors = jackknife(*words, out=out)
    assert code == 1 and re.search(message, errors.strip().splitlines()[-1])
