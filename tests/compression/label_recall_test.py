"""Words by label, and classes of labels and treebanks."""

import pytest

from udify_allennlp.compression.label_recall import LabelCounts, size_class
from udify_allennlp.text.sentence import Sentence


def sentence(heads, deprels, upos):
    forms = [f"w{i}" for i, _ in enumerate(heads.split())]
    return Sentence.from_words(forms).replace(
        heads=heads.split(), deprels=deprels.split(), upos=upos.split()
    )


def test_a_case_by_hand():
    gold = sentence("2 0 2 2", "det root nmod:poss nmod", "DET NOUN NOUN VERB")
    new = sentence("2 0 2 1", "det root nmod nmod", "DET NOUN VERB VERB")
    counts = LabelCounts()
    counts.add([(gold, new), (gold, gold)], {"heads", "upos"})
    assert counts.recall("deprel") == {"det": 100, "root": 100, "nmod": 75}
    assert counts.recall("upos") == {"DET": 100, "NOUN": 75, "VERB": 100}
    assert counts.rarity("deprel", "nmod") == "from 5%"


def test_only_what_is_predicted_is_counted_and_rare_labels_are_rare():
    gold = sentence(" ".join(["0"] + ["1"] * 999), " ".join(["root"] + ["dep"] * 999), "X " * 1000)
    counts = LabelCounts()
    counts.add([(gold, gold)], {"heads"})
    assert not counts.words["upos"]
    assert counts.rarity("deprel", "root") == "0.1% to 1%"
    assert counts.rarity("deprel", "dep") == "from 5%"


@pytest.mark.parametrize(
    "words, expected",
    [
        *((None, "none"), (1, "to 1,000"), (1_000, "to 1,000"), (1_001, "to 10,000")),
        *((10_000, "to 10,000"), (10_001, "to 100,000"), (100_000, "to 100,000")),
        (100_001, "above 100,000"),
    ],
)
def test_classes_of_treebanks(words, expected):
    assert size_class(words) == expected
