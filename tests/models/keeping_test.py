"""A model that learns new treebanks and keeps its predictions for those it knows."""

from copy import deepcopy
from pathlib import Path

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.models.archival import load_archive

from tests.conftest import FIXTURES
from tests.helpers import DECODERS, ENCODER, TRAIN, tensors
from tests.saved_model import TASKS, save_run
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.models.from_archive import ExtendedVocabulary

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")
SETTINGS = {
    "embedder": {
        "type": "udify_encoder",
        "model_name": ENCODER,
        "mask_probability": 0.0,
        "dropout": 0.0,
    },
    "decoders": {
        **{task: {**DECODERS[task], "label_smoothing": 0.0} for task in TASKS},
        "deps": {**DECODERS["deps"], "dropout": 0.0},
    },
    "characters": {"dropout": 0.0, "unknown_probability": 0.0},
    "origins": {"unknown_lang": 0.0, "unknown_treebank": 0.0},
    "dropout": 0.0,
    "layer_dropout": 0.0,
}
READER = {"langs": True, "treebanks": True, "characters": True}


def read(path, count):
    reader = UniversalDependenciesReader(ENCODER, TASKS, **READER)
    return list(reader.read(path))[:count]


def saved(folder, **settings):
    vocab = Vocabulary.from_instances(read(TRAIN, None))
    return str(save_run(folder, vocab, READER, **{**SETTINGS, **settings}))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def instances():
    return [*read(TRAIN, 4), *read(GERMAN, 3)]


def make(archive, instances, **settings):
    torch.manual_seed(0)
    vocab = ExtendedVocabulary.extended(instances, archive)
    params = {"type": "udify_keeping", "archive": archive, **SETTINGS, **settings}
    return Model.from_params(Params(deepcopy(params)), vocab=vocab).train()


def loss(model, instances):
    return model(**tensors(instances, model.vocab))["loss"]


def words(instances):
    return sum(len(one["sentences"].metadata) for one in instances)


def test_of_a_known_treebank_it_has_nothing_to_learn_at_the_start(archive, instances):
    model = make(archive, [], keep_weight=1.0)
    loss(model, instances[:4]).backward()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            assert float(parameter.grad.abs().max()) < 1e-4, name
    model = make(archive, [], keep_weight=0.5)
    loss(model, instances[:4]).backward()
    assert float(model.origins.treebanks.weight.grad.abs().max()) > 1e-3


def test_new_labels_get_less_probable_in_known_treebanks(archive, instances):
    model = make(archive, instances, keep_weight=1.0)
    old = load_archive(archive).model.vocab.get_vocab_size("lemma_labels")
    assert old < model.vocab.get_vocab_size("lemma_labels")
    loss(model, instances[:4]).backward()
    upos, lemma = (model.decoders[task].output for task in ("upos", "lemma"))
    assert float(upos.linear.bias.grad.abs().max()) < 1e-4
    assert float(lemma.head.bias.grad[old:].min()) > 0


@pytest.mark.parametrize("keep_weight", [0.0, 0.3, 1.0])
def test_the_loss_is_the_mean_over_words_of_known_and_new_treebanks(
    archive, instances, keep_weight
):
    model = make(archive, instances, keep_weight=keep_weight)
    known, new = instances[:4], instances[4:]
    gold = make(archive, instances, keep_weight=0.0, relearned=["en_ewt", "de_gsd"])
    kept = make(archive, instances, keep_weight=1.0)
    of_known = (1 - keep_weight) * loss(gold, known) + keep_weight * loss(kept, known)
    total = words(known) * of_known + words(new) * loss(gold, new)
    mixed = [new[0], *known[:2], new[1], *known[2:], new[2]]
    torch.testing.assert_close(loss(model, mixed), total / words(mixed))


def test_a_treebank_whose_annotation_changed_is_learned_from_gold_labels(archive, instances):
    again = make(archive, instances, keep_weight=1.0, relearned=["en_ewt"])
    plain = make(archive, instances, keep_weight=0.0)
    torch.testing.assert_close(loss(again, instances[:4]), loss(plain, instances[:4]))


def test_a_sentence_with_a_new_character_counts_as_new(archive, instances, tmp_path):
    first = Path(TRAIN).read_text(encoding="utf-8").split("\n\n")[0]
    form = first.split("\n1\t")[1].split("\t")[0]
    path = tmp_path / "en_ewt-ud-train.conllu"
    path.write_text(first.replace(f"\n1\t{form}\t", f"\n1\t{form}ⲁ\t") + "\n\n", encoding="utf-8")
    some = read(str(path), None)
    kept = make(archive, some, keep_weight=1.0)
    gold = make(archive, some, keep_weight=0.0)
    torch.testing.assert_close(loss(kept, some), loss(gold, some))
    assert float(loss(kept, instances[:1])) != pytest.approx(float(loss(gold, instances[:1])))


def test_it_is_saved_without_the_archive(archive, instances, tmp_path):
    model = make(archive, instances)
    assert not any("_archive" in name for name in model.state_dict())
    config = {"model": {"type": "udify_keeping", "archive": "gone", **deepcopy(SETTINGS)}}
    model.vocab.save_to_files(str(tmp_path / "vocabulary"))
    torch.save(model.state_dict(), tmp_path / "best.th")
    loaded = Model.load(Params(config), str(tmp_path))
    batch = tensors(instances, model.vocab)
    assert loaded.eval()(**batch)["columns"] == model.eval()(**batch)["columns"]


def test_mistakes(archive, instances, tmp_path):
    with pytest.raises(ConfigurationError, match="keep_weight is 1.5. It must be from 0 to 1"):
        make(archive, instances, keep_weight=1.5)
    with pytest.raises(ConfigurationError, match="need the treebank as input"):
        make(saved(tmp_path, origins=None), instances)
