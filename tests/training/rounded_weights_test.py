"""Training that takes the rounding of stored weights into account."""

from contextlib import nullcontext

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from udify_allennlp.models.packed_weights import packed, rounded, unpacked
from udify_allennlp.training import AtomicCheckpointer, optimizers
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
    train_model_from_file(str(CONFIGS / "tiny.jsonnet"), str(folder), overrides=overrides)
    return AtomicCheckpointer(str(folder)).load_checkpoint().model_state


def test_the_trainer_rounds_where_it_is_told_to(tmp_path, small_data, monkeypatch):
    monkeypatch.setattr(optimizers, "LARGE_EMBEDDING", 1)
    plain = train(tmp_path / "plain", small_data, monkeypatch)
    known = train(tmp_path / "known", small_data, monkeypatch, stored_precision="int8")
    assert plain.keys() == known.keys()
    different = [name for name, weight in plain.items() if not torch.equal(weight, known[name])]
    assert different
    for name in different:  # of the same course
        torch.testing.assert_close(known[name], plain[name], atol=0.05, rtol=0.5)


def test_an_unknown_precision_is_refused(tmp_path, small_data, monkeypatch):
    with pytest.raises(ConfigurationError, match="stored_precision is 'int2': one of float32"):
        train(tmp_path / "run", small_data, monkeypatch, stored_precision="int2")
