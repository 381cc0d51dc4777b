"""The log-probabilities of some labels, beside those of all labels."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.data.label_scores import LabelScores

WORDS, LABELS = 7, 9
PLACES = st.lists(st.integers(0, WORDS - 1), max_size=WORDS, unique=True)
NUMBERS = st.sets(st.integers(0, LABELS - 1), min_size=1).map(sorted).map(numpy.array)


@given(
    first=PLACES,
    second=PLACES,
    labels=st.none() | NUMBERS,
    asked=NUMBERS,
    at_once=st.integers(1, 3),
)
def test_each_word_is_scored_once_and_labels_keep_their_numbers(
    first, second, labels, asked, at_once
):
    table = numpy.random.default_rng(0).normal(size=(WORDS, LABELS))
    table[:, 4] = -numpy.inf
    of_all = table.copy()
    if labels is not None:
        of_all[:, numpy.setdiff1d(numpy.arange(LABELS), labels)] = -numpy.inf
    seen = []

    def log_prob(places):
        assert 0 < len(places) <= at_once
        seen.extend(places.tolist())
        return table[places] if labels is None else table[numpy.ix_(places, labels)]

    scores = LabelScores(log_prob, at_once, labels)
    for places in (first, second):
        rows = dict(scores.rows(places))
        assert list(rows) == places
        for place, row in rows.items():
            numbers, own = scores.possible(row)
            assert numbers.tolist() == numpy.flatnonzero(of_all[place] > -numpy.inf).tolist()
            assert own.tolist() == of_all[place][numbers].tolist()
            assert scores.of(row, asked).tolist() == of_all[place][asked].tolist()
            if len(numbers):
                assert scores.best(row) == of_all[place].argmax()
    if labels is not None:
        assert sorted(seen) == sorted({*first, *second})


@pytest.mark.parametrize("labels", [None, numpy.array([1, 3])])
def test_no_words_are_not_scored(labels):
    assert not list(LabelScores(lambda places: 1 / 0, 2, labels).rows([]))
