"""A small constituency parser for the tests, and the fixtures it learns from."""

from copy import deepcopy
from typing import Any

import torch
from allennlp.common import Params
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from tests.conftest import FIXTURES
from tests.helpers import ENCODER, stirred
from udify_allennlp.constituency.decoder import ConstituencyDecoder
from udify_allennlp.data.ud_reader import UniversalDependenciesReader

TREES = str(FIXTURES / "constituency" / "en_hand-train.mrg")
DEV_TREES = str(FIXTURES / "constituency" / "en_hand-dev.mrg")
MODEL: dict[str, Any] = {
    "type": "udify_multitask",
    "embedder": {"type": "udify_encoder", "model_name": ENCODER},
    "decoders": {
        "constituents": {"type": "udify_constituency_decoder", "hidden_dim": 16},
        "xpos": {"type": "udify_tag_decoder", "task": "xpos"},
    },
    "dropout": 0.0,
    "layer_dropout": 0.0,
    "scores": {"type": "udify_constituents"},
}


def build(path: Any = TREES, **decoders: Any) -> tuple[Model, list[Instance]]:
    """The model, perhaps with other decoders as well, and the trees it learns from."""
    config = deepcopy(MODEL)
    config["decoders"].update(decoders)
    tasks, has_arcs = list(config["decoders"]), "deps" in decoders
    instances = list(UniversalDependenciesReader(ENCODER, tasks, check_trees=has_arcs).read(path))
    torch.manual_seed(7)
    vocab = Vocabulary.from_instances(instances)
    return stirred(Model.from_params(Params(config), vocab=vocab)), instances


def decoder_of(labels: int, dim: int = 6) -> ConstituencyDecoder:
    """A decoder in float64 of the labels `L0`, `L1` and so on."""
    counts = {f"L{number}": labels - number for number in range(labels)}
    vocab = Vocabulary({"constituent_labels": counts}, non_padded_namespaces=["*labels"])
    return ConstituencyDecoder(vocab, dim, hidden_dim=5).double()
