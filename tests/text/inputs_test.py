"""The kinds of input of the parser, and how they are distinguished."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.inputs import inputs_of
from udify_allennlp.text.sentence import Sentence

SENTENCE = Sentence.from_words(["a"])


@pytest.mark.parametrize(
    "source, tokenized, expected",
    [
        ("a b", None, ["a b"]),
        ("a", None, ["a"]),
        (SENTENCE, None, [SENTENCE]),
        (["a b", "c"], None, ["a b", "c"]),
        (["a", "b"], False, ["a", "b"]),
        (["a", "b"], True, [["a", "b"]]),
        ([["a"], ["b"]], True, [["a"], ["b"]]),
        ([["a"], "b"], None, [["a"], "b"]),
        ({"x": ["a"]}.values(), None, [["a"]]),
        ([], None, []),
    ],
)
def test_what_is_what(source, tokenized, expected):
    assert inputs_of(source, tokenized) == expected


@given(st.lists(st.text()))
def test_a_list_of_strings_is_texts(texts):
    assert inputs_of(texts) == inputs_of(texts, False) == texts


@pytest.mark.parametrize(
    "source, tokenized, what",
    [
        (None, None, "accept None. Use a text"),
        (iter([]), None, "parser.stream"),
        ("a b", True, r"parser\(\[text.split\(\)\]\)"),
        (["a", None], None, "accept None as item 1 of its input"),
        (["a", "b", float("nan")], None, "accept nan as item 2 of its input"),
        (["a", None], True, "accept None as item 1 of its input"),
        ([["a"], 3], None, "accept 3 as item 1"),
    ],
)
def test_what_cannot_be_is_refused(source, tokenized, what):
    with pytest.raises(InputError, match=what):
        inputs_of(source, tokenized)
