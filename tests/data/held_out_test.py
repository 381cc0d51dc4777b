"""Sentences that are held out are found in treebanks and in raw texts, left out and counted."""

import random
from itertools import islice

import pytest
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.conftest import FIXTURES
from tests.helpers import ENCODER
from udify_allennlp.data.held_out import HeldOut
from udify_allennlp.data.loader import TreebankLoader
from udify_allennlp.data.paired_loader import PairedLoader
from udify_allennlp.data.text_loader import TextLoader
from udify_allennlp.data.text_source import Corpus
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import read_sentences, write_sentences

MULTIWORD = """1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\t_\t_\t_\t_\t2\tcase\t_\t_
2\tle\t_\t_\t_\t_\t0\troot\t_\t_
3\tpre\u0301\t_\t_\t_\t_\t2\tobl\t_\t_

"""


def joined(forms):
    return "".join("".join(forms).split())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A training file in which 6 of the 8 sentences that are held out stand, too."""
    folder = tmp_path_factory.mktemp("held_out")
    first = islice(read_sentences(FIXTURES / "ud" / "en_ewt-ud-train.conllu"), 60)
    found = list({joined(sentence.forms): sentence for sentence in first}.values())
    assert len(found) >= 36
    write_sentences(found[:30], folder / "en_ewt-ud-train.conllu")
    write_sentences(found[24:32], folder / "en_ewt-ud-test.conllu")
    lines = [" ".join(sentence.forms) for sentence in found[28:36]]
    (folder / "en.txt").write_text("\n".join(lines) + "\n")
    return folder, [joined(sentence.forms) for sentence in found[:36]]


def test_both_sources_leave_them_out_and_count_them(files):
    folder, texts = files
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True, piece_nodes=True)
    train = str(folder / "en_ewt-ud-train.conllu")
    corpora = {"all": Corpus([train, str(folder / "en.txt")], weight=2.0)}
    given = {"corpora": corpora, "batches_per_epoch": 40, "batch_size": 4, "buffer_size": 5}
    random.seed(1)
    loader = PairedLoader(
        reader,
        train,
        Lazy(TreebankLoader, constructor_extras={"quiet": True}),
        Lazy(TextLoader, constructor_extras={**given, "smoothing": 0.5}),
        held_out=HeldOut(str(folder / "*-test.conllu")),
    )
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    assert loader.treebanks()["en_ewt"]["sentences"] == 24
    # The treebank is a corpus as well; in en.txt there are four of them.
    assert loader.left_out() == {"treebanks": 6, "texts": 6 + 4}
    assert set(loader.corpora()) == {"en", "en_ewt-ud-train"}
    seen = {"treebanks": set(), "texts": set()}
    for pair in loader:
        for part, batch in pair.items():
            seen[part] |= {joined(sentence.forms) for sentence in batch["sentences"]}
    assert seen == {"treebanks": {*texts[:24]}, "texts": {*texts[:24], *texts[32:36]}}


def test_files_are_drawn_by_their_smoothed_size(tmp_path):
    for name, count in (("a", 1), ("b", 16)):
        (tmp_path / f"{name}.txt").write_text("w\n" * count)
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True, piece_nodes=True)
    corpora = {"all": Corpus(str(tmp_path / "*.txt"))}
    for smoothing, share in ((1, 1 / 17), (0.5, 1 / 5), (0, 1 / 2)):
        random.seed(2)
        loader = TextLoader(reader, None, corpora, 1, buffer_size=1, smoothing=smoothing)
        for _ in range(2000):
            loader._source.draw()
        assert loader._source.counts["a"] / 2000 == pytest.approx(share, abs=0.03)
    with pytest.raises(ConfigurationError, match="smoothing is 2. It must be from 0 to 1"):
        TextLoader(reader, None, corpora, 1, smoothing=2)


def test_words_text_spaces_and_composition_make_no_difference(tmp_path):
    (tmp_path / "fr-dev.conllu").write_text(MULTIWORD)
    held_out = HeldOut(str(tmp_path / "fr-dev.conllu"))
    assert held_out.count == 1
    for text in ("du pr\u00e9", "dupre\u0301 ", "de le pr\u00e9"):
        assert held_out.has_text(text)
    assert not held_out.has_text("du pre")
    (tmp_path / "held.txt").write_text("du pr\u00e9\n")
    reader = UniversalDependenciesReader(ENCODER, ["deps"], word_of=True, piece_nodes=True)
    corpora = {"fr": Corpus(str(tmp_path / "held.txt"))}
    with pytest.raises(ConfigurationError, match="all of its sentences are held out"):
        TextLoader(reader, None, corpora, 1, held_out=held_out)
    with pytest.raises(ConfigurationError, match="or all of them are held out"):
        TreebankLoader(reader, str(tmp_path / "fr-dev.conllu"), held_out=held_out)
