"""Small transition parsers that encode their state, in all variants of Table 2.1; their batches."""

from itertools import islice

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from tests.helpers import DEV, ENCODER, stirred, tensors, vocabulary
from udify_allennlp.data.ud_reader import UniversalDependenciesReader

VOCAB = vocabulary()
GRAPH = {"labelled": False, "policy": "one_label", "label_embeddings": True, "layer_norm": False}
PLAIN = {"relations": False}
# Table 2.1: what the embedder, the model and the decoder are told.
VARIANTS = {
    "StateTr": (PLAIN, {}, {}),
    "StateCLSTr": (PLAIN, {}, {"graph_output": False}),
    "StateTr+G2GTr": (GRAPH, {"deleted": True, "composition": False}, {}),
    "StateTr+G2CLSTr": (GRAPH, {"deleted": True, "composition": False}, {"graph_output": False}),
    "StateTr+G2GTr+C": (GRAPH, {"deleted": True}, {}),
}


def build(variant="StateTr", embedder=None, decoders=None, **settings):
    graph, model, decoder = VARIANTS[variant]
    small = {"action_dim": 16, "label_dim": 8, "dropout": 0.0, "history": True}
    deps = {"type": "udify_transition_decoder", **small, "directed_labels": True, **decoder}
    encoder = {"type": "udify_graph_encoder", "model_name": ENCODER, "dropout": 0.0, **graph}
    params = {
        "type": "udify_state_transitions",
        "embedder": {**encoder, **(embedder or {})},
        "decoders": decoders or {"deps": deps},
        "layer_attention": "last",
        "dropout": 0.0,
        **model,
        **settings,
    }
    torch.manual_seed(7)
    vocab = VOCAB
    if "characters" in settings:
        reader = UniversalDependenciesReader(ENCODER, ["deps"], characters=True)
        vocab = Vocabulary.from_instances(reader.read(DEV))
    return stirred(Model.from_params(Params(params), vocab=vocab)).eval()


def instances(count=5):
    """Short ones, for each step is encoded."""
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True)
    short = (one for one in reader.read(DEV) if 4 < len(one["sentences"].metadata) < 13)
    return list(islice(short, count))


def batch(count=5):
    return tensors(instances(count), VOCAB)
