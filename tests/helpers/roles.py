"""Small models of semantic roles, and their readers."""

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from tests.conftest import FIXTURES
from tests.helpers import ENCODER, stirred
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.graph2graph.predicted_trees import PredictedTrees

DATA = {
    style: str(FIXTURES / "roles" / f"en_hand-train.{style}") for style in ("conll05", "conll09")
}
SIZES = {"span_dim": 6, "label_dim": 7, "unary_dim": 5, "dropout": 0.0}


def reader(style, given=False, trees=False):
    inputs = (["predicates"] if given else []) + ([PredictedTrees()] if trees else [])
    return UniversalDependenciesReader(
        ENCODER, ["roles"], inputs=inputs, word_of=True, check_trees=False
    )


def build(style="conll05", trees=False, initial="empty", path=None, **settings):
    given = settings.get("given", False)
    instances = list(reader(style, given, trees).read(path or DATA[style]))
    vocab = Vocabulary.from_instances(instances)
    kind = {"conll05": "span", "conll09": "dependency"}.get(style, style)
    params = {
        "type": "udify_with_graph",
        "initial": {"type": initial},
        "embedder": {
            "type": "udify_graph_encoder",
            "model_name": ENCODER,
            "dropout": 0.0,
            "relations": trees,
            "policy": "all_pairs",
            "layer_norm": False,
            "use_key": True,
            "use_value": False,
        },
        "decoders": {"roles": {"type": "udify_role_decoder", "style": kind, **SIZES, **settings}},
        "scores": "udify_roles",
        "layer_attention": "last",
        "dropout": 0.0,
        "layer_dropout": 0.0,
    }
    torch.manual_seed(7)
    return stirred(Model.from_params(Params(params), vocab=vocab)).eval(), instances
