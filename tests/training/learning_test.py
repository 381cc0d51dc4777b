"""Training learns: the whole of it, from the shipped config to the official scores."""

import json
from itertools import islice

import pytest
from allennlp.commands.train import train_model_from_file

from tests.conftest import CONFIGS
from tests.helpers import ENCODER, TRAIN
from udify_allennlp.text.conllu import read_sentences, write_sentences

# Nothing that keeps a model from learning its data by heart.
BY_HEART = {
    "model.dropout": 0.0,
    "model.layer_dropout": 0.0,
    "model.embedder.mask_probability": 0.0,
    "model.decoders.deps.dropout": 0.0,
    "trainer.learning_rate_scheduler": None,
    "trainer.callbacks": [],
}


def train(folder, overrides):
    """The metrics of each epoch."""
    config = str(CONFIGS / "tiny.jsonnet")
    train_model_from_file(config, str(folder), overrides=json.dumps(overrides))
    count = overrides["trainer.num_epochs"]
    return [json.loads((folder / f"metrics_epoch_{i}.json").read_text()) for i in range(count)]


@pytest.fixture
def paths(monkeypatch, small_data):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])


def test_each_epoch_lowers_the_loss_of_what_is_learned_and_of_what_is_not(paths, tmp_path):
    epochs = train(tmp_path / "run", {"trainer.num_epochs": 4})
    for name in ("training_loss", "validation_loss"):
        losses = [epoch[name] for epoch in epochs]
        assert losses == sorted(losses, reverse=True) and losses[-1] < 0.9 * losses[0]


def test_twenty_sentences_are_learned_by_heart(paths, tmp_path, monkeypatch):
    path = tmp_path / "en_ewt-ud-train.conllu"
    write_sentences(islice(read_sentences(TRAIN), 20), path)
    monkeypatch.setenv("UD_TRAIN", str(path))
    monkeypatch.setenv("UD_DEV", str(path))
    epochs = train(tmp_path / "run", {**BY_HEART, "trainer.num_epochs": 30})
    for name in ("LAS", "UPOS", "UFeats", "Lemmas"):
        assert epochs[0][f"validation_{name}"] < 60  # not known from somewhere else
        assert epochs[-1][f"validation_{name}"] > 95
