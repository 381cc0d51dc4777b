"""Changes of groups, and sentences that lose and win."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.compression.changes import (
    LOSING,
    SAME,
    WINNING,
    group_changes,
    outcome,
    relative_change,
)
from udify_allennlp.translation.resources import class_of_size

SCORES = st.floats(0, 1)


def test_a_group_changes_as_its_means_do():
    base = {"a": 10.0, "b": 30.0, "c": 5.0, "d": 8.0}
    new = {"a": 5.0, "b": 30.0, "c": 6.0, "e": 1.0}
    found = group_changes(base, new, {"a": "x", "b": "x", "c": "y"}.get)
    assert set(found) == {"x", "y"}
    assert found["x"] == (2, 20.0, 17.5)
    assert found["x"].relative == -12.5  # the mean of -50 and 0 would be -25
    assert found["y"].relative == pytest.approx(20)


def test_of_nothing_there_is_no_change():
    assert relative_change(0, 3) is None
    assert relative_change(4, 3) == -25


@given(base=SCORES, new=SCORES)
def test_losing_and_winning_are_apart_and_mirrored(base, new):
    mirrored = {LOSING: WINNING, WINNING: LOSING, SAME: SAME}
    assert outcome(new, base) == mirrored[outcome(base, new)]
    assert outcome(base, base) == SAME


@pytest.mark.parametrize(
    "base, new, expected",
    [(0.75, 0.25, SAME), (0.25, 0.75, SAME), (0.8, 0.25, LOSING), (0.1, 0.9, WINNING)],
)
def test_the_threshold_is_strict(base, new, expected):
    assert outcome(base, new) == expected


@pytest.mark.parametrize("base, new", [(60.0, 20.0), (0.2, 20.0), (-0.1, 0.3)])
def test_a_scale_of_100_is_refused(base, new):
    with pytest.raises(ValueError, match="Both must be from 0 to 1"):
        outcome(base, new)


@pytest.mark.parametrize(
    "pairs, expected",
    [
        *((0, "VL"), (100_000, "VL"), (100_001, "L"), (1_000_000, "L"), (1_000_001, "M")),
        *((100_000_000, "M"), (100_000_001, "H")),
    ],
)
def test_classes_at_their_borders(pairs, expected):
    assert class_of_size(pairs) == expected
