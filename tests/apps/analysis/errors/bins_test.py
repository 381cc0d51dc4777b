"""Bins of arcs against plain definitions, against the official figures, and one case by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.analysis.helpers import random_heads, tree
from tests.helpers import DEV
from udify_allennlp.apps.analysis.errors.bins import VIEWS, Bin, arcs, bins, reduction
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.text.conllu import read_sentences

GOLD = list(read_sentences(DEV))


def spoilt(sentence, seed):
    """Another tree, with some of the same arcs."""
    rng = random.Random(seed)
    if rng.random() < 0.3:
        return sentence
    heads = list(map(str, random_heads(len(sentence), seed)))
    deprels = [label if rng.random() < 0.7 else "dep" for label in sentence.deprels]
    return sentence.replace(heads=heads, deprels=deprels)


PARSED = [spoilt(sentence, seed) for seed, sentence in enumerate(GOLD)]
FOUND = bins(map(arcs, GOLD), map(arcs, PARSED))


def test_each_view_counts_every_word_once():
    words = sum(map(len, GOLD))
    las = official_scores(GOLD, PARSED, "dev")["LAS"]
    for view in VIEWS:
        own = list(FOUND[view].values())
        assert sum(cell.gold for cell in own) == sum(cell.predicted for cell in own) == words
        for field in ("found", "right"):
            assert 100 * sum(getattr(cell, field) for cell in own) / words == pytest.approx(las)
    lengths = FOUND["sentence length"].values()
    assert all(cell.gold == cell.predicted and cell.found == cell.right for cell in lengths)
    # A right arc is as long in both trees; its depth may differ.
    assert all(cell.found == cell.right for cell in FOUND["dependency length"].values())
    assert any(cell.found != cell.right for cell in FOUND["distance to root"].values())


@given(n=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
def test_depth_and_projectivity_by_their_definitions(n, seed):
    heads = [0, *random_heads(n, seed)]

    def above(word):
        return [] if word == 0 else [heads[word], *above(heads[word])]

    for word, arc in enumerate(arcs(tree(" ".join(map(str, heads[1:])))), start=1):
        head = heads[word]
        between = range(min(head, word) + 1, max(head, word))
        is_projective = all(head in above(other) for other in between)
        length, depth, size, _, _, projectivity = arc.bins
        assert projectivity == ("projective" if is_projective else "non-projective")
        assert depth == ("ROOT" if head == 0 else str(len(above(word)) - 1))
        assert length == ("ROOT" if head == 0 else str(abs(head - word)))
        assert size == "1-9"


def test_long_arcs_and_deep_words_are_one_bin():
    chain = [arc.bins for arc in arcs(tree(" ".join(map(str, range(60)))))]
    assert [depth for _, depth, *_ in chain[9:13]] == ["9", "10+", "10+", "10+"]
    assert {size for _, _, size, *_ in chain} == {"50+"}
    star = arcs(tree(" ".join(["0", *["1"] * 11])))
    assert [arc.bins[0] for arc in star[8:]] == ["8", "9", "10+", "10+"]
    for n, name in ((9, "1-9"), (10, "10-19"), (49, "40-49"), (50, "50+")):
        assert arcs(tree(" ".join(["0", *["1"] * (n - 1)])))[0].bins[2] == name


def test_by_hand():
    """Words 1 <- 2 -> 3 in gold; the parse has 2 under 1, so that 3 lies deeper."""
    gold, parsed = tree("2 0 2"), tree("0 1 2")
    found = bins([arcs(gold)], [arcs(parsed)])
    assert found["distance to root"] == {
        "ROOT": Bin(gold=1, found=0, predicted=1, right=0),
        "1": Bin(gold=2, found=1, predicted=1, right=0),
        "2": Bin(gold=0, found=0, predicted=1, right=1),
    }
    cell = Bin(gold=4, found=1, predicted=2, right=1)
    assert (cell.recall, cell.precision, cell.f1) == (25, 50, pytest.approx(100 / 3))
    assert Bin(0, 0, 0, 0).f1 == 0


def test_subtypes_are_bins_of_their_own_and_no_errors():
    """Of four arcs three are right; the subtype of one of these is lost."""
    gold = tree("0 1 1 1").replace(deprels=["root", "acl:relcl", "nsubj:pass", "obj"])
    parsed = gold.replace(deprels=["root", "acl", "nsubj:pass", "nsubj:pass"])
    found = bins([arcs(gold)], [arcs(parsed)])
    assert found["relation with subtype"] == {
        "acl:relcl": Bin(gold=1, found=1, predicted=0, right=0),
        "nsubj:pass": Bin(gold=1, found=1, predicted=2, right=1),
        "obj": Bin(gold=1, found=0, predicted=0, right=0),
        "root": Bin(gold=1, found=1, predicted=1, right=1),
        "acl": Bin(gold=0, found=0, predicted=1, right=1),
    }
    assert found["relation"]["acl"] == Bin(gold=1, found=1, predicted=1, right=1)
    assert not any(":" in label for label in found["relation"])


def test_relative_error_reduction_of_the_thesis():
    """Table 3.2: Turkish, UDify 67.44, refined 72.07: 14.22%."""
    assert reduction(67.44, 72.07) == pytest.approx(14.22, abs=0.005)
    assert reduction(94.60, 94.47) == pytest.approx(-2.4, abs=0.01)
    assert reduction(100, 99) is None
