"""Ends of tokens at brackets."""

from functools import partial

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import bars, cut, in_parts
from udify_allennlp.segmentation.floor import end_at_brackets, go_on_in_brackets
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN
from udify_allennlp.text.brackets import bracket_ends, enclosed


def ends(text, lang="vi"):
    return sorted(bracket_ends(text, lang, 0, len(text)))


@pytest.mark.parametrize(
    "marked",
    [
        'x (|OCA|) năm (|42 năm|). [|2|] y.[|15|] {|z12|}: "(|ab|)"',
        "(|n = 12|) [|3, 4|] 4)",
        "(|born in 1950|) (|a(b)c|) ((|ab|))",
        # Inside words, numbers of lists, single letters, faces, none.
        "(s)he f(x) d(ə)m a) 12) (a) (2) [b] :) (: ) ( 8) word[2]",
        "() [] (-) (…)",
    ],
)
def test_by_hand(marked):
    text, places = bars(marked)
    assert ends(text) == places


def test_some_languages_are_left_to_the_segmenter():
    assert ends("[gap] (OCA)", "ga") == [] != ends("[gap] (OCA)", "hr")
    assert ends("[gap] (OCA)", "sl") == [7, 10]


@given(text=st.text("ab1 ()[]{}.-", max_size=30), middle=st.integers(0, 30))
def test_ends_touch_a_bracket_and_parts_do_not_matter(text, middle):
    found = ends(text)
    assert all({*text[end - 1 : end + 1]} & {*"()[]{}"} for end in found)
    by_part = in_parts(partial(bracket_ends, text, "vi"), text, [middle])
    assert sorted(by_part) == found


def test_tokens_end_there_in_the_language_only():
    labels = numpy.zeros(9, dtype=numpy.uint8)
    end_at_brackets(labels, "(OCA) (a", 0, "vi", lambda place: "vi" if place < 5 else "de")
    assert labels.nonzero()[0].tolist() == [0, 3] and labels[3] == TOKEN


@pytest.mark.parametrize(
    "marked",
    [
        "Helsinki |(ruots. Helsingfors)| on; H |[1. A]|, B |(x. Y)|.",
        # At the beginning or end of a sentence, around a paragraph's end, of another kind.
        "One. (Two. Three.) Four (five. Six.) Seven",
        "a (b\0c) d a (b] c (b",
        f"a ({300 * 'b'}) c",
    ],
)
def test_enclosed(marked):
    text, places = bars(marked)
    found = sorted(enclosed(text, "fi", 0, len(text)))
    assert [place for pair in found for place in pair] == places
    assert [*enclosed(text, "orv", 0, len(text))] == []


@given(text=st.text("aB ().[]", max_size=30), middle=st.integers(0, 30))
def test_no_sentence_ends_in_brackets_whatever_the_blocks(text, middle):
    whole = numpy.full(len(text), TOKEN | SENTENCE, dtype=numpy.uint8)
    parts = [whole[:middle].copy(), whole[middle:].copy()]
    go_on_in_brackets(whole, text, 0, "fi", lambda place: "fi")
    for start, part in zip((0, min(middle, len(text))), parts):
        go_on_in_brackets(part, text, start, "fi", lambda place: "fi")
    assert (numpy.concatenate(parts) == whole).all() and (whole & TOKEN).all()


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("vi", "Hội đồng (OCA).", ["Hội đồng ( OCA ) ."]),
        ("es", "Nació en Madrid.[5]", ["Nació en Madrid . [ 5 ]"]),
        (
            "fi",
            "Helsinki (ruots. Helsingfors) on Suomen pääkaupunki.",
            ["Helsinki ( ruots . Helsingfors ) on Suomen pääkaupunki ."],
        ),
        ("en", "See (https://a.b/c_(d)).", ["See ( https://a.b/c_(d) ) ."]),
    ],
)
def test_shipped(lang, text, expected):
    assert cut(text, lang) == expected
