"""The encoder that CONTRIBUTING.md adds, trained, archived and used."""

import json

import pytest
import torch
from allennlp.commands.train import train_model_from_file

import docs.examples.letters_encoder  # noqa: F401  # registers it
from tests.conftest import ROOT
from tests.helpers import DEV, TRAIN
from udify_allennlp import Parser, read_sentences
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.modules.layout import Layout


def test_a_word_is_the_mean_of_its_letters():
    encoder = WordEncoder.by_name("letters")(dim=4, buckets=50)
    forms = {"strings": ["ab", "b", "abc"], "words": torch.tensor([1, 2, 0, 1])}
    rows = encoder({"forms": forms}, Layout.from_lengths([4]))
    assert rows.shape == (1, 4, 4)
    weight = encoder.letters.weight
    torch.testing.assert_close(rows[0, 2], (weight[ord("a") % 50] + weight[ord("b") % 50]) / 2)
    torch.testing.assert_close(rows[0, 0], weight[ord("b") % 50])


def test_it_trains_is_archived_and_parses(tmp_path, monkeypatch):
    monkeypatch.setenv("UD_TRAIN", TRAIN)
    monkeypatch.setenv("UD_DEV", DEV)
    config = ROOT / "docs" / "examples" / "letters_encoder.jsonnet"
    train_model_from_file(str(config), str(tmp_path / "run"))
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["best_validation_UPOS"] > 40  # NOUN alone is about 17
    gold = list(read_sentences(DEV))
    parsed = list(Parser.load(tmp_path / "run" / "model.tar.gz").parse(gold))
    right = sum(a == b for g, p in zip(gold, parsed) for a, b in zip(g.upos, p.upos))
    expected = pytest.approx(metrics["best_validation_UPOS"])
    assert 100 * right / sum(map(len, gold)) == expected
