"""English plural possessives."""

from functools import partial

import pytest

from tests.helpers.segmentation import in_parts, texts_in_parts
from udify_allennlp.text.possessives import possessive, possessive_spans

PIECES = ["dogs'", "Boys’", "'", "‘", " ", "as", "it's", "-", "."]


def found(text, lang, start=0, stop=None):
    spans = possessive_spans(text, lang, start, len(text) if stop is None else stop)
    return [*spans]


@pytest.mark.parametrize(
    "text, forms",
    [
        ("The students' books and the workers’ rights", ["students'", "workers’"]),
        ("my parents' house; it is my parents'.", ["parents'"]),
        ("He said 'the dogs' and left", []),
        ("the ‘dogs’ and 'dogs' too", []),
        ("It's the boys' turn", ["boys'"]),
        ("In the '60s, the boys' turn", ["boys'"]),
        ("the men' s Ex-wives' as' 5s' of", []),
    ],
)
def test_by_hand(text, forms):
    assert [text[first:end] for first, end in found(text, "en")] == forms
    assert found(text, "de") == []


def test_words():
    assert possessive("Students'", "en") == ("students", "'")
    assert possessive("workers’", "en") == ("workers", "’")
    assert possessive("men's", "en") == possessive("dogs'", "nl") == ()


@texts_in_parts(PIECES, ["en"])
def test_parts_of_a_text_make_no_difference(text, cuts, lang):
    assert in_parts(partial(found, text, lang), text, cuts) == found(text, lang)
