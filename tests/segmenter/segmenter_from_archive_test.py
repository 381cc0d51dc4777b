"""A segmenter that starts from a trained one: the shipped config, on the fixtures."""

import json
import re
import shutil

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models.archival import load_archive

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import execute
from tests.saved_segmenter import SMALL
from udify_allennlp.archives.run_folder import model_folder
from udify_allennlp.segmentation.multiword_rules import FORMS, RULES
from udify_allennlp.segmentation.treebanks import LANGS
from udify_allennlp.segmenter.from_archive import (
    ExtendedSegmenterVocabulary,
    SegmenterFromArchive,
)
from udify_allennlp.segmenter.reader import SegmenterReader
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.raw_text import lines_of, read_text, rebuild
from udify_allennlp.text.tokenizers import make_tokenizer

FINNISH = str(FIXTURES / "ud" / "fi_tdt-ud-dev.conllu")
FRENCH = str(FIXTURES / "ud" / "fr_gsd-ud-dev.conllu")
WIDTHS = {key.removeprefix("model."): SMALL[key] for key in SMALL if key.startswith("model.")}


def started(segmenter, path=FINNISH, **settings):
    instances = list(SegmenterReader().read(path))
    vocab = ExtendedSegmenterVocabulary.extended(instances, segmenter)
    return SegmenterFromArchive(vocab, segmenter, **{**WIDTHS, **settings}).eval()


def segmented(tokenizer, text):
    return [sentence.text for sentence in read_text(lines_of(text), tokenizer)]


def test_it_keeps_what_the_other_knows(segmenter):
    model = started(segmenter)
    other = load_archive(segmenter).model.eval()
    known = other.vocab.get_token_to_index_vocabulary(LANGS)
    assert [*known, "fi_tdt"] == list(model.vocab.get_token_to_index_vocabulary(LANGS))
    for namespace in (RULES, FORMS):
        labels = list(other.vocab.get_token_to_index_vocabulary(namespace))
        assert labels == list(model.vocab.get_token_to_index_vocabulary(namespace))[: len(labels)]
    for name in ("langs.weight", "guess.weight", "guess.bias"):
        old, new = other.state_dict()[name], model.state_dict()[name]
        assert torch.equal(new[: len(old)], old) and len(new) == len(old) + 1
        assert torch.allclose(new[-1], old.mean(0))
    (document,) = SegmenterReader().documents(FRENCH)
    expected = segmented(other.tokenizer("fr"), document.text)
    assert segmented(model.tokenizer("fr"), document.text) == expected
    assert any("-" in text.split("\t")[0] for text in "".join(expected).split("\n"))


@pytest.mark.parametrize("config", ["segmenter", "segmenter_from_multilingual"])
def test_configs_train_without_multiword_tokens(config, segmenter, tmp_path, monkeypatch):
    """AllenNLP refused a minimum count of labels that the treebank lacks."""
    path = tmp_path / "fi_tdt-ud-train.conllu"
    multiword = re.compile(r"^\d+-", re.MULTILINE)
    simple = [s for s in read_sentences(FINNISH) if not multiword.search(s.text)]
    write_sentences(simple, path)
    monkeypatch.setenv("UD_TRAIN", str(path))
    monkeypatch.setenv("UD_DEV", str(path))
    start = tmp_path / "start.tar.gz"
    shutil.copy(segmenter, start)
    settings = {**SMALL, "trainer.num_epochs": 1, "data_loader.epoch_size": 60}
    if config != "segmenter":
        settings.update({"vocabulary.archive": str(start), "model.archive": str(start)})
    run = tmp_path / "run"
    words = ["train", CONFIGS / f"{config}.jsonnet", "-s", run, "-o", json.dumps(settings)]
    assert execute(*words) == 0
    start.unlink()  # what was saved does not need it
    assert segmented(make_tokenizer(str(run), "fi"), rebuild(simple))
    if config == "segmenter":  # one without rules gets those of the new data
        assert load_archive(run / "model.tar.gz").model.vocab.get_vocab_size(RULES) == 0
        assert started(str(run), FRENCH).vocab.get_vocab_size(RULES) > 0


def test_the_shipped_config_has_the_settings_of_the_shipped_segmenter():
    config = CONFIGS / "segmenter_from_multilingual.jsonnet"
    settings = Params.from_file(str(config), ext_vars={"UD_TRAIN": "", "UD_DEV": ""}).as_dict()
    model = settings["model"]
    with model_folder("multilingual") as folder:
        theirs = json.loads((folder / "segmenter" / "config.json").read_text())["model"]
    for name in ("hidden_dim", "buckets", "standards"):
        assert model[name] == theirs[name]


def test_what_does_not_fit_is_an_error(segmenter, tmp_path):
    with pytest.raises(ConfigurationError, match=r"shape .* Use its widths"):
        started(segmenter, hidden_dim=16)
    instances = list(SegmenterReader().read(FINNISH))
    vocab = Vocabulary.from_instances(instances)
    with pytest.raises(ConfigurationError, match="do not extend those of a segmenter in"):
        SegmenterFromArchive(vocab, segmenter, **WIDTHS)
