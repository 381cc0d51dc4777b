"""Small transition parsers whose encoder sees the graph (`graph2graph/`), and their batches."""

import torch
from allennlp.common import Params
from allennlp.models import Model

from tests.helpers import DEV, ENCODER, stirred, tensors, vocabulary
from udify_allennlp.data.ud_reader import UniversalDependenciesReader

VOCAB = vocabulary()
DECODER = {"type": "udify_transition_decoder", "action_dim": 16, "label_dim": 8, "dropout": 0.0}
GRAPH = {"labelled": False, "policy": "one_label", "label_embeddings": True, "layer_norm": False}
KINDS = {"udify_multitask": {"relations": False}, "udify_graph_transitions": GRAPH}


def build(kind, decoders=None, graph=None, **decoder):
    params = {
        "type": kind,
        "embedder": {
            "type": "udify_graph_encoder",
            "model_name": ENCODER,
            "dropout": 0.0,
            **(KINDS[kind] if graph is None else graph),
        },
        "decoders": decoders or {"deps": {**DECODER, **decoder}},
        "layer_attention": "last",
        "dropout": 0.0,
    }
    torch.manual_seed(7)
    return stirred(Model.from_params(Params(params), vocab=VOCAB)).eval()


def instances(count=8):
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True)
    return list(reader.read(DEV))[:count]


def batch(count=8):
    return tensors(instances(count), VOCAB)
