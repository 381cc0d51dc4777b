import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tests.apps.analysis.helpers import tree
from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree
from udify_allennlp.apps.analysis.probing.scores import (
    depth_scores,
    distance_scores,
    rank_correlations,
)


@given(rows=st.integers(1, 4), n=st.integers(3, 7), seed=st.integers(0, 2**32 - 1))
def test_rank_correlations_are_those_of_scipy(rows, n, seed):
    rng = numpy.random.default_rng(seed)
    x, y = rng.normal(size=(rows, n)), rng.integers(0, 4, (rows, n))
    y[:, 0], y[:, 1] = 0, 1  # not all equal
    expected = [spearmanr(a, b).statistic for a, b in zip(x, y)]
    numpy.testing.assert_allclose(rank_correlations(x, y), expected, atol=1e-12)


def test_a_row_of_equals_correlates_with_nothing():
    assert rank_correlations(numpy.zeros((1, 3)), numpy.arange(3)[None]).tolist() == [0]


@pytest.fixture
def gold():
    return GoldTree(tree("2 3 0 3 3", "The dog sleeps here .", "DET NOUN VERB ADV PUNCT"))


def test_gold_distances_score_best(gold):
    scores = distance_scores([gold.distances.astype(float)], [gold])
    assert scores == {"uuas": 100, "spearman": 1, "spearman_by_length": {5: 1}}
    scores = depth_scores([gold.depths.astype(float)], [gold])
    assert scores == {"root_accuracy": 100, "spearman": 1, "spearman_by_length": {5: 1}}


def test_scores_by_hand(gold):
    """Words on a line at 0, 1, 2, 1.2 and, the full stop, 1.1."""
    places = numpy.array([0, 1, 2, 1.2, 1.1])
    distances = (places[:, None] - places) ** 2
    # Without the full stop: The-dog, dog-here, here-sleeps; of the three gold edges two are found.
    assert distance_scores([distances], [gold])["uuas"] == pytest.approx(200 / 3)
    # The full stop is lowest, but does not count; then it is "dog", not the root.
    depths = numpy.array([3.0, 0.5, 1.0, 2.0, 0.0])
    assert depth_scores([depths], [gold])["root_accuracy"] == 0
    depths[1] = 1.5
    assert depth_scores([depths], [gold])["root_accuracy"] == 100
    # Ranks 5, 3, 2, 4, 1 against 5, 3, 1, 3, 3.
    expected = spearmanr([5, 3, 2, 4, 1], [5, 3, 1, 3, 3]).statistic
    assert depth_scores([depths], [gold])["spearman"] == pytest.approx(expected)


def test_each_length_counts_once(gold):
    chain = GoldTree(tree("0 1 2 3 4 5"))
    backwards = -gold.distances.astype(float)
    predicted = [gold.distances, gold.distances, backwards, chain.distances]
    scores = distance_scores(predicted, [gold, gold, gold, chain])
    assert scores["spearman_by_length"] == pytest.approx({5: 1 / 3, 6: 1})
    assert scores["spearman"] == pytest.approx(2 / 3)


def test_sentences_that_say_nothing_are_left_out():
    short = GoldTree(tree("0"))
    nothing = {"spearman": None, "spearman_by_length": {}}
    assert distance_scores([numpy.zeros((1, 1))], [short]) == {"uuas": None, **nothing}
    dots = GoldTree(tree("0 1", ". .", "PUNCT PUNCT"))
    assert distance_scores([dots.distances], [dots])["uuas"] is None
    assert depth_scores([dots.depths], [dots]) == {"root_accuracy": None, **nothing}
