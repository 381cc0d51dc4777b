"""Tokens with Indonesian suffixes, and with more Hebrew affixes than a network finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import cut, in_parts
from udify_allennlp.text.affixes import affixed, with_further_affixes, word_spans

UPOS = {
    **{"ילדים": "NOUN", "הפעם": "ADV", "פעם": "NOUN", "בית": "NOUN"},
    **{"rumah": "NOUN", "baca": "VERB", "adalah": "AUX", "ada": "VERB", "itu": "DET"},
}


@pytest.mark.parametrize(
    "lang, form, words",
    [
        ("id", "rumahku", "rumah ku"),
        ("id", "bacalah", "baca lah"),
        *(("id", form, "") for form in ["adalah", "bacaku", "masalah", "buku"]),
        ("jv", "rumahku", ""),
    ],
)
def test_by_hand(lang, form, words):
    assert affixed(form, lang, lambda word: UPOS.get(word, "")) == tuple(words.split())


@pytest.mark.parametrize(
    "lang, words, expected",
    [
        ("he", "ו הילדים", "ו ה ילדים"),
        ("he", "ש בבית", "ש ב בית"),
        ("he", "כש ההכנסות", "כש ה הכנסות"),  # unknown
        ("he", "ב ביתו", "ב בית ו"),
        ("he", "בבית נו", "ב בית נו"),
        # Known words, verbs and nouns of verbs, unknown nouns after other prefixes.
        *(
            ("he", words, words)
            for words in ["ו הפעם", "ש הגיע", "ו החליטו", "ו התחלה", "ו הצלחת", "ו הזדקן"]
            + ["ו בגדים", "ו מגדלים", "ב גנו", "ילדים ו", "ו ה ילדים", "ל הבית"]
        ),
        ("ar", "ו הילדים", "ו הילדים"),
    ],
)
def test_words_that_were_split_off_may_have_affixes(lang, words, expected):
    def upos_of(word):
        return UPOS.get(word, "")

    assert with_further_affixes(tuple(words.split()), lang, upos_of) == tuple(expected.split())


def test_word_spans():
    text = "ב\"ה הילדים, it's ke-2 #ab हिंदी"
    assert [text[slice(*span)] for span in word_spans(text, 0, len(text))] == [
        "הילדים",
        "ke-2",
        "हिंदी",
    ]


@given(text=st.text("aבि \"'-.", max_size=30), cuts=st.lists(st.integers(1, 29)))
def test_parts_do_not_matter(text, cuts):
    def spans(start, stop):
        return [*word_spans(text, start, stop)]

    assert in_parts(spans, text, cuts) == spans(0, len(text))


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("he", "הילדים שיחקו כשהגעתי.", "+ה+ילדים שיחקו +כש+הגעתי ."),
        ("id", "Bacalah buku di rumahku.", "+Baca+lah buku di +rumah+ku ."),
    ],
)
def test_shipped(lang, text, expected):
    assert cut(text, lang) == [expected]
