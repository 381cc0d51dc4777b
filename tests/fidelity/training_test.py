"""Parameters and optimizers of the shipped configs beside the tables and the released code."""

import json
import math
import re

import pytest
import torch
from _jsonnet import evaluate_snippet
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.training.optimizers import Optimizer

from tests.conftest import CONFIGS
from tests.helpers import DEV, ENCODER, stirred, tensors

PARSERS = ("syntr", "rngtr_syntr", "rngtr_empty", "senttr_g2g", "statetr", "statetr_g2g")
"""Configs of chapters 2 and 3: all kinds of decoders and encoders that need no archive."""
CANCELLED = (
    # A softmax over what is attended to cancels what all keys have in common, in any BERT; and what
    # all relations have in common, NONE among them, in Equation 3.4.
    r"\.self\.key\.bias$",
    r"embedder\.graph\.tables\.\d+\.norm\.bias$",
)
"""The only parameters whose gradient is 0 by the equations themselves."""
LEAST = 1e-6


def config_of(system, monkeypatch):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    for name in ("UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, DEV)
    params = Params.from_file(str(CONFIGS / "graph2graph" / f"{system}_small_cpu.jsonnet"))
    return params.as_dict(quiet=True)


def built(system, monkeypatch):
    config = config_of(system, monkeypatch)
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    instances = list(reader.read(DEV))
    config["model"]["embedder"].pop("layers", None)  # the fixtures' encoder has three
    vocab = Vocabulary.from_instances(instances)
    torch.manual_seed(5)
    model = Model.from_params(Params(config["model"]), vocab=vocab)
    return stirred(model).eval(), tensors(instances[:3], vocab)


@pytest.mark.parametrize("system", PARSERS)
def test_no_parameter_of_a_graph_parser_is_dead(system, monkeypatch):
    """
    A bias of dependents, which a softmax over heads cancels, stood for that of heads in these
    configs: its gradient was 0 but for rounding, and it never left 0.
    """
    model, batch = built(system, monkeypatch)
    model.train()
    model.zero_grad()
    model(**batch)["loss"].backward()
    largest = {
        name: 0.0 if parameter.grad is None else float(parameter.grad.abs().max())
        for name, parameter in model.named_parameters()
    }
    dead = {
        name
        for name, value in largest.items()
        if value < LEAST and not any(re.search(pattern, name) for pattern in CANCELLED)
    }
    assert dead == set()


@pytest.mark.parametrize("system", ["syntr", "rngtr_syntr", "rngtr_empty"])
def test_the_bias_of_arcs_is_that_of_heads(system, monkeypatch):
    """`bias_x` of the released code; Dozat and Manning (2017), whom the thesis follows."""
    model, _ = built(system, monkeypatch)
    arcs = [each for name, each in model.named_modules() if name.endswith("deps.arcs.biaffine")]
    assert len(arcs) == (2 if system == "rngtr_syntr" else 1)
    for each in arcs:
        assert {name for name, _ in each.named_parameters()} == {"weight", "bias"}
        each.double()
        x = torch.randn(1, 4, each.weight.shape[1], dtype=torch.float64)
        y = torch.randn(1, 3, each.weight.shape[0], dtype=torch.float64)
        one = torch.cat([x, torch.ones(1, 4, 1)], 2)
        table = torch.cat([each.weight.T, each.bias[None]])
        torch.testing.assert_close(each(x, y), one @ table @ y.transpose(1, 2))


def part(**settings):
    """`parts/bert_adam.libsonnet` with these settings."""
    given = ", ".join(f"{name}={value}" for name, value in settings.items())
    text = f"(import 'parts/bert_adam.libsonnet')({given})"
    return json.loads(evaluate_snippet(str(CONFIGS / "x.jsonnet"), text, import_callback=_read))


def _read(folder, path):
    file = CONFIGS / path
    return str(file), file.read_bytes()


@pytest.mark.parametrize("system", ["syntr", "rngtr_empty", "statetr_g2g"])
def test_which_parameters_decay_and_at_which_rate(system, monkeypatch):
    """All weights decay by default (tables); with `decay_biases` false biases and norms do not."""
    model, _ = built(system, monkeypatch)
    names = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    for decay_biases in (True, False):
        settings = part(decay_biases=json.dumps(decay_biases), base_lr=2e-3, encoder_lr=1e-5)
        optimizer = Optimizer.from_params(Params(settings["optimizer"]), model_parameters=names)
        name_of = {id(p): name for name, p in names}
        seen = set()
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = name_of[id(parameter)]
                seen.add(name)
                last = name.rpartition(".")
                owner = last[0].rpartition(".")[2].lower()
                spared = last[2].endswith("bias") or (
                    owner.endswith("norm") and last[2] == "weight"
                )
                decays = decay_biases or not spared
                assert group["weight_decay"] == (0.01 if decays else 0.0), name
                pretrained = "embedder." in name and "embedder.graph." not in name
                assert group["lr"] == (1e-5 if pretrained or "segments" in name else 2e-3), name
        assert seen == set(name_of.values())


def test_averages_are_corrected_for_their_start():
    """AdamW (Loshchilov and Hutter 2019), two steps by hand; BertAdam divides by nothing."""
    weight = torch.nn.Parameter(torch.tensor([0.5]))
    settings = {"type": "udify_adamw", "lr": 0.1, "betas": [0.9, 0.999], "eps": 1e-5}
    settings["weight_decay"] = 0.01
    optimizer = Optimizer.from_params(Params(settings), model_parameters=[("w", weight)])
    value, mean, square = 0.5, 0.0, 0.0
    for step, gradient in enumerate((0.3, -0.2), 1):
        weight.grad = torch.tensor([gradient])
        optimizer.step()
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        corrected = mean / (1 - 0.9**step), square / (1 - 0.999**step)
        value -= 0.1 * (0.01 * value + corrected[0] / (math.sqrt(corrected[1]) + 1e-5))
        assert weight.item() == pytest.approx(value, rel=1e-5)
