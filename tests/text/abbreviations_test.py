"""Sentences continue after the periods of abbreviations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.abbreviations import _BEFORE_NAMES, goes_on
from udify_allennlp.text.tokenizers import make_tokenizer


@pytest.mark.parametrize("lang", [None, "xx", "ja", *_BEFORE_NAMES])
def test_no_language_ends_a_sentence_behind_a_title(lang):
    listed = _BEFORE_NAMES.get(lang, "").split()
    for title in ["Prof", "Dr", "Mrs", *listed, *map(str.title, listed)]:
        text = f"{title}. Meyer"
        assert goes_on(lang)(text, len(title) + 1), title


@given(text=st.text("aB1. \n", max_size=12), end=st.integers(0, 12))
def test_it_goes_on_only_where_something_follows_on_the_line(text, end):
    end = min(end, len(text))
    if goes_on("en")(text, end):
        assert text[end - 1] == "." and text[end].isspace()
        assert not text[end:].split("\n")[0].isspace()


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("en", "food, etc.| The next", False),
        ("en", "food, etc.| can add", True),
        ("en", "in Jan.| 2020", True),
        ("en", "the Blvd.| Cleveland", True),
        ("en", "the dog.| sleeps", False),
        ("en", "at tony's.| someplace", False),
        ("en", "me.| The", False),
        ("en", "Mrs.|\nThe", False),
        ("de", "am 3.| oktober", True),
        ("de", "im Jahr 1990.| Dann", False),
        ("en", "in 1990.| then", False),
        ("sv", "det.| Sedan", False),
        ("hy", "ասաց.| Նա", False),
        ("ru", "на ул.| Ленина", True),
        ("sk", "do tzv.| Karlovackého", True),
    ],
)
def test_by_hand(lang, text, expected):
    before, behind = text.split("|")
    assert goes_on(lang)(before + behind, len(before)) is expected


def test_rules_ask_it():
    """sentencex alone ends sentences behind both."""
    sentences = list(make_tokenizer("rules", "fr")("On a vu Mme. Roy et MM. Farinet. Il part."))
    assert [len(tokens) for tokens in sentences] == [9, 3]
