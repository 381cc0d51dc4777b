"""The segmenter's features of characters."""

import numpy
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.texts import LANGUAGES, ODD
from udify_allennlp.segmentation.character_features import (
    CLASSES,
    KINDS,
    MARGIN,
    features,
    is_space,
)
from udify_allennlp.text.unspaced import dictionary_states

TEXT = "".join(LANGUAGES.values()) + " " + "x" * 60 + " a b  c " + "\u0301😀\0\x85\ufeff"


def of(text):
    return features(text, dictionary_states(text))


@given(text=st.one_of(st.text(), st.text(ODD)))
def test_any_text(text):
    hashes, classes = of(text)
    assert hashes.shape == (len(text), KINDS) and classes.shape == (len(text),)
    assert (hashes >= 0).all() and (hashes < 2**32).all()
    assert (classes >= 0).all() and (classes < CLASSES).all()
    assert is_space(text).tolist() == [character.isspace() for character in text]


@given(start=st.integers(0, len(TEXT)), length=st.integers(1, 40))
def test_what_is_further_than_the_margin_does_not_matter(start, length):
    states = dictionary_states(TEXT)
    left = max(0, start - MARGIN)
    part = slice(left, start + length + MARGIN)
    own = slice(start - left, start - left + length)
    for whole, seen in zip(features(TEXT, states), features(TEXT[part], states[part])):
        expected = whole[start : start + length]
        assert (seen[own][: len(expected)] == expected).all()


def test_kinds_by_hand():
    """Which characters share which hash."""
    hashes, _ = of("ab ab  Ab ab")

    def same(kind):
        return numpy.flatnonzero(hashes[:, kind] == hashes[0, kind]).tolist()

    assert same(0) == [0, 3, 10]  # the character as it is: not the one in `Ab`
    assert same(1) == [0]  # with the one before
    assert same(2) == [0, 3, 7, 10]  # with the one behind
    assert same(4) == [0, 1, 3, 4, 7, 8, 10, 11]  # the word
    assert same(5) == [0, 1, 2, 5, 6, 7, 8, 9]  # with the word before: none
    assert hashes[3, 5] == hashes[10, 5] != hashes[0, 5] == 0
    assert hashes[0, 6] == hashes[7, 6] != hashes[3, 6] == 0
