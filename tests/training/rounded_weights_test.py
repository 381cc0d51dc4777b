"""Training that takes the rounding of stored weights into account."""

import json
from contextlib import nullcontext

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from udify_allennlp import Parser
from udify_allennlp.archives.run_folder import load_weights
from udify_allennlp.kernels.packed_weights import packed, rounded, unpacked
from udify_allennlp.scoring.official import official_counts, scores_of
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.training import optimizers
from udify_allennlp.training.checkpointer import AtomicCheckpointer
from udify_allennlp.training.rounded_weights import RoundedWeights


class Model(torch.nn.Module):
    """A table that is large enough for 4 bits, a layer that is, and one that is not."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.table = torch.nn.Embedding(1024, 64)
        self.wide = torch.nn.Linear(64, 1024)
        self.narrow = torch.nn.Linear(1024, 3)

    def forward(self, ids):
        return self.narrow(self.wide(self.table(ids)).tanh()).square().sum()


def stored(model, precision):
    """A model with the weights as they are after storing."""
    found = Model()
    found.load_state_dict(unpacked(packed(model.state_dict(), precision)))
    return found


IDS = torch.tensor([[3, 1, 4], [1, 5, 1023]])


@pytest.mark.parametrize("precision", ["float16", "int8", "int4"])
@pytest.mark.parametrize("apart", [True, False])
def test_loss_and_gradients_are_those_of_the_stored_weights(precision, apart):
    model = Model()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    rounding = RoundedWeights(model, precision, [model.table] if apart else [])
    expected = stored(model, precision)
    loss = expected(IDS)
    loss.backward()
    for _ in range(2):  # the second as the first
        model.zero_grad()
        with rounding():
            found = model(IDS)
            found.backward()
        torch.testing.assert_close(found, loss)
        for (name, ours), theirs in zip(model.named_parameters(), expected.parameters()):
            torch.testing.assert_close(ours.grad, theirs.grad, msg=name)
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name]), name
    assert not torch.equal(model(IDS), loss)  # outside, the exact weights


def test_weights_are_given_back_after_an_error():
    model = Model()
    before = model.wide.weight.clone()
    with pytest.raises(KeyboardInterrupt), RoundedWeights(model, "int4", [])():
        assert not torch.equal(model.wide.weight, before)
        raise KeyboardInterrupt
    assert torch.equal(model.wide.weight, before)


def test_training_makes_up_for_what_is_lost_by_rounding():
    """The weights of a layer are given, only its bias is learned: it balances their rounding."""
    layer = torch.nn.Linear(64, 1024)
    layer.weight.requires_grad_(False)
    inputs = 1 + torch.rand(32, 64)
    goal = inputs @ layer.weight.T
    errors = {}
    for known in (False, True):
        torch.nn.init.zeros_(layer.bias)
        optimizer = torch.optim.SGD([layer.bias], lr=400)
        rounding = RoundedWeights(layer, "int4", []) if known else nullcontext
        for _ in range(20):
            optimizer.zero_grad()
            with rounding():
                (layer(inputs) - goal).square().mean().backward()
            optimizer.step()
        weight = rounded(layer.weight, "int4")
        errors[known] = (inputs @ weight.T + layer.bias - goal).square().mean().item()
    assert errors[True] < 0.2 * errors[False]


def train(folder, small_data, monkeypatch, **settings):
    for name, value in zip(("UD_TRAIN", "UD_DEV"), small_data):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    overrides = {f"trainer.{key}": value for key, value in {"num_epochs": 1, **settings}.items()}
    return train_model_from_file(str(CONFIGS / "tiny.jsonnet"), str(folder), overrides=overrides)


def test_the_trainer_rounds_and_keeps_what_it_scored(tmp_path, small_data, monkeypatch):
    monkeypatch.setattr(optimizers, "LARGE_EMBEDDING", 1)
    settings = {"stored_precision": "int8", "num_epochs": 2, "validation_metric": "-loss"}
    model = train(tmp_path / "run", small_data, monkeypatch, **settings).state_dict()
    exact = AtomicCheckpointer(str(tmp_path / "run")).load_checkpoint().model_state
    best = load_weights(tmp_path / "run")
    assert exact.keys() == best.keys() == model.keys()
    stored = unpacked(packed(exact, "int8"))
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["best_epoch"] == 1  # so that the last checkpoint is of it
    for name, weight in best.items():
        assert torch.equal(weight, stored[name]) and torch.equal(weight, model[name]), name
    assert any(not torch.equal(weight, exact[name]) for name, weight in best.items())
    plain = train(tmp_path / "plain", small_data, monkeypatch, num_epochs=2).state_dict()
    assert any(not torch.equal(weight, plain[name]) for name, weight in model.items())
    # What is scored is what is kept.
    scored = execute_scores(tmp_path / "run" / "model.tar.gz", small_data[1])
    for name in ("UPOS", "Lemmas", "LAS"):
        assert scored[name] == pytest.approx(metrics[f"best_validation_{name}"], abs=0.8)


def execute_scores(archive, file):
    gold = list(read_sentences(file))
    return scores_of(official_counts(gold, list(Parser.load(str(archive)).parse(gold)), str(file)))


def test_an_unknown_precision_is_refused(tmp_path, small_data, monkeypatch):
    with pytest.raises(ConfigurationError, match="stored_precision is 'int2'. Use one of float32"):
        train(tmp_path / "run", small_data, monkeypatch, stored_precision="int2")
