"""Small models and batches for the tests, built from the shipped parts and the fixtures."""

import sys
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Optional

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Batch, Vocabulary
from allennlp.models import Model

from tests.conftest import FIXTURES
from udify_allennlp import cli
from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.sentence import Sentence

ENCODER = str(FIXTURES / "encoder")
TRAIN = str(FIXTURES / "ud" / "en_ewt-ud-train.conllu")
DEV = str(FIXTURES / "ud" / "en_ewt-ud-dev.conllu")

DECODERS: dict[str, dict[str, Any]] = {
    "upos": {"type": "udify_tag_decoder", "task": "upos"},
    "xpos": {"type": "udify_tag_decoder", "task": "xpos"},
    "feats": {"type": "udify_tag_decoder", "task": "feats", "adaptive": True},
    "lemma": {"type": "udify_tag_decoder", "task": "lemma", "adaptive": True},
    "deps": {"type": "udify_dependency_decoder", "arc_dim": 16, "deprel_dim": 8},
}


def read(path: str = TRAIN, count: Optional[int] = None, tasks: Optional[list[str]] = None) -> list:
    reader = UniversalDependenciesReader(ENCODER, tasks=tasks or list(DECODERS))
    return list(reader.read(path))[:count]


def vocabulary() -> Vocabulary:
    return Vocabulary.from_instances(read())


def make_model(
    tasks: Optional[list[str]] = None, vocab: Optional[Vocabulary] = None, **settings: Any
) -> Model:
    torch.manual_seed(7)
    params = {
        "type": "udify_multitask",
        "embedder": {"type": "udify_encoder", "model_name": ENCODER},
        "decoders": {task: dict(DECODERS[task]) for task in tasks or DECODERS},
        **settings,
    }
    # A copy, because reading parameters empties them.
    return Model.from_params(Params(deepcopy(params)), vocab=vocab or vocabulary())


def tensors(instances: list, vocab: Vocabulary) -> dict[str, Any]:
    batch = Batch(instances)
    batch.index_instances(vocab)
    return batch.as_tensor_dict()


def assert_same_side_by_side(
    predictor: ConlluPredictor, sentences: Sequence[Sentence], **origins: Any
) -> None:
    """Batches of a few sentences, many at a time, and one after the other."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predictor, "_sampler", BucketSampler(3, shuffle=False))
        for at_once in (4, 1, 4, 4):
            patch.setattr(predictor, "at_once", at_once)
            found.append(predictor.columns(sentences, **origins))
    assert found[0] == found[1] == found[2] == found[3]


def stirred(model: Model) -> Model:
    """With weights that are zero only for padding, as after training."""
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        for module in model.modules():
            if isinstance(module, torch.nn.Embedding) and module.padding_idx is not None:
                module.weight[module.padding_idx] = 0
    return model


def execute(*words: object) -> int:
    """`allennlp ...` as a user types it, in this process: the exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        return cli.run()


def run(*words: object) -> None:
    """The same of what must not fail."""
    assert execute(*words) == 0


def wait_for(condition: Callable[[], bool]) -> None:
    """Half a minute at most: what is done at once elsewhere takes long on a busy machine."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
