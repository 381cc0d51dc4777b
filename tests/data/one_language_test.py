"""Batches of one language, each language as often (Ji et al. 2023, section 5)."""

import random
from collections import Counter

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.loader import TreebankLoader
from udify_allennlp.data.ud_reader import UniversalDependenciesReader

SIZES = {"en_a": 60, "en_b": 20, "de_a": 9, "fo_a": 3}
"""Sentences of each treebank; two are of one language."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ud")
    for name, count in SIZES.items():
        blocks = []
        for i in range(count):
            rows = [f"{w}\tx\tx\tX\t_\t_\t{w - 1}\tdep\t_\t_\n" for w in range(1, i % 4 + 2)]
            blocks.append("".join(rows) + "\n")
        (folder / f"{name}-ud-train.conllu").write_text("".join(blocks))
    return str(folder / "*.conllu")


def loader(files, **settings):
    reader = UniversalDependenciesReader(
        tasks=["deps"], forms=True, langs=settings.pop("langs", True)
    )
    made = TreebankLoader(reader, files, batch_size=4, quiet=True, one_language=True, **settings)
    made.index_with(Vocabulary.from_instances(made.iter_instances()))
    return made


def epoch(made, seed=1):
    random.seed(seed)
    return list(made)


def rows(batches):
    return [batch["sentences"]._rows for batch in batches]


def test_every_batch_has_one_language_and_every_sentence_comes_once(files):
    made = loader(files)
    batches = epoch(made)
    assert all(len(set(batch["langs"])) == 1 for batch in batches)
    assert all(len(batch["langs"]) == len(batch["sentences"]) for batch in batches)
    assert sorted(sum(rows(batches), [])) == list(range(sum(SIZES.values())))
    languages = [batch["langs"][0] for batch in batches]
    assert languages != sorted(languages)  # they are mixed


def test_languages_have_equal_shares_whatever_their_size(files):
    made = loader(files, sampling="uniform", epoch_size=30)
    for seed in range(3):
        batches = epoch(made, seed)
        counts = Counter(batch["langs"][0] for batch in batches)
        assert len(batches) == len(made) == 30 and set(counts.values()) == {10}
        # Of a language every batch comes as often as another, or once more.
        own = Counter(map(tuple, rows(b for b in batches if b["langs"][0] == "de")))
        assert max(own.values()) - min(own.values()) <= 1
    assert rows(epoch(made, 1)) == rows(epoch(made, 1)) != rows(epoch(made, 2))


def test_by_default_an_epoch_has_as_many_batches_as_the_data_once(files):
    once, uniform = loader(files), loader(files, sampling="uniform")
    assert len(epoch(uniform)) == len(uniform) and abs(len(uniform) - len(once)) <= 1
    counts = Counter(batch["langs"][0] for batch in epoch(uniform))
    assert max(counts.values()) - min(counts.values()) <= 1


def test_without_shuffle_the_order_is_fixed(files):
    made = loader(files, shuffle=False)
    assert rows(epoch(made, 1)) == rows(epoch(made, 2))


def test_a_reader_without_languages_is_one_line(files):
    with pytest.raises(ConfigurationError, match="has no languages. Set dataset_reader.langs"):
        loader(files, langs=False)
