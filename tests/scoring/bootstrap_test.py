import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.scoring.bootstrap import mean_of_runs, paired_bootstrap
from udify_allennlp.scoring.counts import METRICS, SEGMENTATION, f1
from udify_allennlp.scoring.official import official_counts, official_scores
from udify_allennlp.text.sentence import Sentence

NAMES = SEGMENTATION + METRICS


def counts_of(right, words):
    """Counts where each metric has `words[i]` words in sentence i, `right[i]` of them right."""
    table = np.stack([words, words, right], axis=-1)
    return np.repeat(np.asarray(table)[:, None, :], len(NAMES), axis=1)


def test_worked_by_hand_over_all_samples_of_three_sentences():
    """Three sentences of 4, 6 and 10 words, and the 27 ways to draw three of them."""
    words = np.array([4, 6, 10])
    first, second = np.array([2, 3, 8]), np.array([4, 3, 7])
    gains = []
    for drawn in itertools.product(range(3), repeat=3):
        at = list(drawn)
        gains.append(100 * (second[at].sum() - first[at].sum()) / words[at].sum())
    found = paired_bootstrap([counts_of(first, words)], [counts_of(second, words)], 40_000)["LAS"]
    assert found.points == pytest.approx(5.0)  # 13 of 20 and 14 of 20
    expected = sum(abs(gain - 5) >= 5 - 1e-9 for gain in gains) / 27
    assert found.p == pytest.approx(expected, abs=0.01)
    # All of the first sentence: +50; all of the third: -10; each 1 in 27, more than 2.5%.
    assert (found.low, found.high) == (pytest.approx(-10.0), pytest.approx(50.0))


def test_equal_parses_do_not_differ():
    counts = counts_of(np.array([1, 2]), np.array([3, 3]))
    found = paired_bootstrap([counts], [counts], 200)
    assert set(found) == set(NAMES)
    assert set(found.values()) == {(0.0, 0.0, 0.0, 1.0)}


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_swapping_the_two_swaps_the_signs(seed, sentences):
    rng = np.random.default_rng(seed)
    words = rng.integers(1, 30, sentences)
    first, second = (counts_of(rng.integers(0, words + 1), words) for _ in range(2))
    there = paired_bootstrap([first], [second], 300, seed)["LAS"]
    back = paired_bootstrap([second], [first], 300, seed)["LAS"]
    assert there.points == pytest.approx(-back.points)
    assert (there.low, there.high) == (pytest.approx(-back.high), pytest.approx(-back.low))
    assert there.p == back.p


@pytest.mark.slow
def test_false_alarms_are_five_in_a_hundred():
    """Two parsers that are equally good: p < 0.05 in about 5% of 500 test files."""
    rng = np.random.default_rng(1)
    alarms = 0
    for trial in range(500):
        words = rng.integers(5, 30, 150)
        # Sentences are hard or easy for both, which makes the words of one depend on each other.
        hard = rng.beta(8, 2, 150)
        sides = [counts_of(rng.binomial(words, hard), words)[:, :4] for _ in range(2)]
        sides = [np.concatenate([side] * 4, axis=1)[:, : len(NAMES)] for side in sides]
        alarms += paired_bootstrap([sides[0]], [sides[1]], 400, trial)["LAS"].p < 0.05
    assert 13 <= alarms <= 38  # 25 +- 2.6 standard deviations


def test_a_difference_that_is_there_is_found():
    rng = np.random.default_rng(2)
    words = rng.integers(5, 30, 500)
    first, second = (counts_of(rng.binomial(words, p), words) for p in (0.80, 0.84))
    found = paired_bootstrap([first], [second], 2000)["LAS"]
    assert found.p < 0.01 and 0 < found.low < found.points < found.high


def test_the_mean_over_treebanks_counts_each_once():
    words = np.array([10, 10])
    large = [counts_of(np.repeat(right, 50), np.repeat(words, 50)) for right in ([5, 5], [6, 6])]
    small = [counts_of(np.array(right), words) for right in ([5, 5], [5, 5])]
    found = paired_bootstrap([large[0], small[0]], [large[1], small[1]], 100)["UAS"]
    assert found.points == pytest.approx(5.0)  # the mean of 10 and 0
    assert (found.low, found.high) == (pytest.approx(5.0), pytest.approx(5.0))


def test_runs_are_taken_together_by_their_mean():
    words = np.array([10])
    runs = [counts_of(np.array([right]), words) for right in (4, 8)]
    assert f1(mean_of_runs(runs).sum(axis=0)).tolist() == [60.0] * len(NAMES)


def test_other_sentences_are_refused():
    first, second = (counts_of(np.array([1]), np.array([n])) for n in (2, 3))
    with pytest.raises(ValueError, match="gold sentences of the two differ"):
        paired_bootstrap([first], [second], 10)
    with pytest.raises(ValueError, match="gold sentences of the two differ"):
        paired_bootstrap([first, first], [first], 10)


def test_of_real_counts():
    """One wrong head in one of two sentences."""
    gold = [Sentence.from_words(["a", "b", "c"]).replace(heads=["0", "1", "1"])] * 2
    other = [gold[0], gold[1].replace(heads=["0", "1", "2"])]
    counts = [official_counts(gold, side, "x") for side in (gold, other)]
    found = paired_bootstrap([counts[0]], [counts[1]], 1000)
    assert found["UAS"].points == official_scores(gold, other, "x")["UAS"] - 100
    assert found["UAS"].low == pytest.approx(-100 / 3) and found["UAS"].high == 0
    assert found["UPOS"].points == 0
