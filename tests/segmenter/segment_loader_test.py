"""Windows of treebanks, and their batches."""

import random

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, Vocabulary

from tests.conftest import FIXTURES
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.segmentation.multiword_rules import FORMS, RULES
from udify_allennlp.segmentation.row import GAP
from udify_allennlp.segmentation.treebanks import LANGS
from udify_allennlp.segmenter.loader import SegmenterLoader
from udify_allennlp.segmenter.reader import SegmenterReader
from udify_allennlp.segmenter.windows import (
    REACH,
    UNKNOWN,
    batch_of,
    labelled_sentences,
    make_window,
)
from udify_allennlp.text.errors import ConlluError

TRAIN = str(FIXTURES / "ud" / "*-train.conllu")
FRENCH = str(FIXTURES / "ud" / "fr_gsd-ud-dev.conllu")


def make_loader(path=TRAIN, **settings):
    params = Params({"type": "udify_segmenter", **settings})
    loader = DataLoader.from_params(params, reader=SegmenterReader(), data_path=path)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    return loader


@pytest.fixture(scope="module")
def french():
    (document,) = SegmenterReader().documents(FRENCH)
    vocab = Vocabulary.from_instances(SegmenterReader().read(FRENCH))
    return document, vocab, labelled_sentences(document, vocab)


def window(sentences, first=0, size=10**6, noise=0.0, seed=0):
    return make_window(sentences, first, size, noise, numpy.random.default_rng(seed))


def test_one_window_of_all_is_the_text(french):
    document, vocab, sentences = french
    whole = window(sentences)
    parts = whole.text.split("\0" * GAP)
    assert parts == [paragraph.text for paragraph in document.paragraphs]
    tokens = sum(len(tokens) for p in document.paragraphs for tokens in p.sentences)
    assert ((whole.labels & TOKEN) > 0).sum() == tokens
    assert ((whole.labels & SENTENCE) > 0).sum() == len(document.sentences)
    multiwords = numpy.flatnonzero(whole.labels & MULTIWORD)
    assert (whole.rules[multiwords] != UNKNOWN).all()
    assert (whole.rules != UNKNOWN).sum() == len(multiwords) > 0
    assert not whole.is_cut


def test_a_window_begins_with_a_sentence_and_ends_in_time(french):
    _, _, sentences = french
    whole = window(sentences[3:])
    for size in (1, 50, 300):
        cut = window(sentences, 3, size)
        assert cut.is_cut and len(cut.text) == size == len(cut.labels) == len(cut.rules)
        assert whole.text.startswith(cut.text)
    (one,) = sentences[-1:]
    assert window(sentences, len(sentences) - 1).text == one.text


def folded(text):
    return "".join(text.replace("’", "'").split()).lower()


def test_noise_changes_white_space_case_and_apostrophes_alone(french):
    document, _, sentences = french
    visible = folded(document.text)
    seen = set()
    for seed in range(20):
        noisy = window(sentences, noise=0.5, seed=seed)
        seen.add(noisy.text)
        assert folded(noisy.text.replace("\0", " ")) == visible
        labels = [x for x, c in zip(noisy.labels, noisy.text) if not c.isspace() and c != "\0"]
        plain = window(sentences)
        assert labels == [
            x for x, c in zip(plain.labels, plain.text) if not c.isspace() and c != "\0"
        ]
    assert len(seen) > 10
    assert any("’" in text and "'" not in text for text in seen)
    assert any(text == text.upper() for text in seen)


def test_what_is_scored(french):
    _, _, sentences = french
    windows = [window(sentences, 0, 200), window(sentences, len(sentences) - 1)]
    batch = batch_of(windows, [0, UNKNOWN])
    for row, its in enumerate(windows):
        end = len(its.text) - (REACH if its.is_cut else 0)
        expected = [i < end and not c.isspace() and c != "\0" for i, c in enumerate(its.text)]
        assert batch["scored"][row, : len(its.text)].tolist() == expected
        assert not batch["scored"][row, len(its.text) :].any()
        assert not batch["mask"][row, len(its.text) :].any()
    assert batch["langs"].tolist() == [0, UNKNOWN]
    assert all(isinstance(values, torch.Tensor) for values in batch.values())


def test_an_epoch_has_as_many_windows_as_asked_for_and_depends_on_its_seed_alone():
    loader = make_loader(batch_size=3, window=100, epoch_size=10, sampling="uniform")
    random.seed(1)
    first, second = list(loader), list(loader)
    assert [loader.count(batch) for batch in first] == [3, 3, 3, 1] and len(loader) == 4
    random.seed(1)
    again = list(loader)
    for ours, its in zip(first, again):
        assert all(torch.equal(ours[name], its[name]) for name in ours)
    assert any(not torch.equal(a["classes"], b["classes"]) for a, b in zip(first, second))


def test_by_default_an_epoch_is_the_text_once():
    loader = make_loader(window=200)
    characters = sum(len(d.text) for d in SegmenterReader().documents(TRAIN))
    assert sum(map(loader.count, loader)) == characters // 200


def test_without_shuffling_a_batch_is_a_file():
    loader = make_loader(shuffle=False)
    assert [batch["documents"][0].treebank for batch in loader] == ["de_gsd", "en_ewt"]
    assert len(loader) == 2 and all(loader.count(batch) == 1 for batch in loader)


def test_the_vocabulary_has_languages_rules_and_forms():
    vocab = Vocabulary.from_instances(SegmenterReader().read([TRAIN, FRENCH]))
    assert set(vocab.get_token_to_index_vocabulary(LANGS)) == {"de_gsd", "en_ewt", "fr_gsd"}
    rules = vocab.get_token_to_index_vocabulary(RULES)
    forms = vocab.get_token_to_index_vocabulary(FORMS)
    assert {entry.split(" ")[2] for entry in forms} == set(rules)
    assert any(entry.startswith("fr du ") for entry in forms)


def test_mistakes(tmp_path):
    with pytest.raises(ConfigurationError, match="needs the dataset_reader 'udify_segmenter'"):
        SegmenterLoader(UniversalDependenciesReader(forms=True), TRAIN)
    with pytest.raises(ConfigurationError, match="batch_size 0"):
        make_loader(batch_size=0)
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    with pytest.raises(ConfigurationError, match="has no sentences"):
        make_loader(str(empty))
    bad = str(FIXTURES / "conllu" / "bad" / "missing_column.conllu")
    with pytest.raises(ConlluError, match="missing_column.conllu:"):
        make_loader(bad)
