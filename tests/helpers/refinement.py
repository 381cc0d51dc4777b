"""Small models that refine their trees (`graph2graph/refinement.py`), and their batches."""

import torch
from allennlp.common import Params
from allennlp.models import Model

from tests.helpers import DEV, ENCODER, stirred, tensors, vocabulary
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.modules.layout import Layout

VOCAB = vocabulary()
DEPS = {"type": "udify_dependency_decoder", "arc_dim": 16, "deprel_dim": 8, "dropout": 0.0}
UPOS = {"type": "udify_tag_decoder", "task": "upos"}
ALONE = {"layer_attention": "last", "dropout": 0.0, "layer_dropout": 0.0}


def embedder(**settings):
    return {"type": "udify_graph_encoder", "model_name": ENCODER, "dropout": 0.0, **settings}


def build(initial="empty", relations=None, decoders=None, **settings):
    decoders = decoders or {"deps": DEPS}
    first = {"type": initial}
    if initial == "syntr":
        first["parser"] = {
            "type": "udify_multitask",
            "embedder": embedder(relations=False),
            "decoders": {"deps": DEPS},
            **ALONE,
        }
    params = {
        "type": "udify_refinement",
        "initial": first,
        "embedder": embedder(**(relations or {})),
        "decoders": decoders,
        **ALONE,
        **settings,
    }
    torch.manual_seed(7)
    return stirred(Model.from_params(Params(params), vocab=VOCAB)).eval()


def instances(count=8, tasks=("deps",)):
    reader = UniversalDependenciesReader(ENCODER, list(tasks), word_of=True)
    return list(reader.read(DEV))[:count]


def batch(count=8, tasks=("deps",)):
    return tensors(instances(count, tasks), VOCAB)


def part_of(values):
    gold = {name: values[name] for name in ("heads", "deprels")}
    fields = {"wordpieces": values["wordpieces"], "inputs": {}}
    return BatchSubset(fields, Layout(**values["layout"]), values["sentences"], gold)
