"""A model with characters: as without, and the spelling of words counts."""

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from tests.helpers import DECODERS, ENCODER, TRAIN, read, stirred, tensors
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.training.gradients import clip_norm

TASKS = ["upos", "feats", "lemma"]
SMALL = {"dim": 4, "filters": 4, "widths": [1, 3]}


@pytest.fixture(scope="module")
def instances():
    return list(UniversalDependenciesReader(ENCODER, TASKS, characters=True).read(TRAIN))


@pytest.fixture
def model(instances):
    torch.manual_seed(7)
    params = {
        "type": "udify_multitask",
        "embedder": {"type": "udify_encoder", "model_name": ENCODER},
        "decoders": {task: dict(DECODERS[task]) for task in TASKS},
        "layer_dropout": 0.0,
        "characters": dict(SMALL),
    }
    return stirred(Model.from_params(Params(params), vocab=Vocabulary.from_instances(instances)))


def test_batch_composition_changes_no_sentence(model, instances):
    model.eval()
    few = instances[:10]
    together = model(**tensors(few, model.vocab))["columns"]
    assert together == [model(**tensors([one], model.vocab))["columns"][0] for one in few]


def test_every_parameter_learns(model, instances):
    model.characters.unknown_probability = 0.2
    model.train()(**tensors(instances[:8], model.vocab))["loss"].backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert [name for name in still if "embeddings" not in name] == []


def test_characters_reach_their_tasks_only(model, instances):
    model.eval()
    batch = tensors(instances[:4], model.vocab)
    layers = {}

    def remember(task):
        return lambda decoder, scores, *_: (
            layers.setdefault(task, []).append(scores.words) or 0 * scores.words.sum()
        )

    for task, decoder in model.decoders.items():
        decoder.loss = remember(task).__get__(decoder)
    model(**batch)
    batch["characters"]["ids"] = batch["characters"]["ids"].masked_fill(
        batch["characters"]["ids"] > 0, 1
    )
    model(**batch)
    changed = {task: not torch.equal(*words) for task, words in layers.items()}
    assert changed == {"upos": False, "feats": True, "lemma": True}


def test_a_step_never_asks_a_gpu_for_a_number(model, instances):
    model = model.train().to("meta")
    batch = tensors(instances[:8], model.vocab)
    for field in ("wordpieces", "layout", "characters"):
        batch[field] = {name: t.to("meta") for name, t in batch[field].items()}
    loss = model(**batch)["loss"]
    loss.backward()
    assert clip_norm(model, 5.0).is_meta


def test_mistakes_in_the_config_are_clear(model, instances):
    with pytest.raises(ConfigurationError, match="Set dataset_reader.characters to true"):
        model(**tensors(read(count=2, tasks=TASKS), model.vocab))
    params = {
        "type": "udify_multitask",
        "embedder": {"type": "udify_encoder", "model_name": ENCODER},
        "decoders": {"upos": dict(DECODERS["upos"])},
        "characters": {"tasks": ["upos", "lemma"], **SMALL},
    }
    with pytest.raises(ConfigurationError, match="characters.tasks has 'lemma'"):
        Model.from_params(Params(params), vocab=model.vocab)
