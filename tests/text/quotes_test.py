"""An odd quotation mark changes nothing but itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.quotes import paired_quotes
from udify_allennlp.text.tokenizers import make_tokenizer


@given(text=st.text('ab". (', max_size=30))
def test_marks_that_are_left_are_in_pairs(text):
    found = paired_quotes(text)
    assert found.count('"') % 2 == 0
    assert found.replace("″", '"') == text


@pytest.mark.parametrize(
    "text, expected",
    [
        ('5" wide. He said: "I come."', '5″ wide. He said: "I come."'),
        ('"A. "B." C', '″A. "B." C'),
        ('A" B "C"', 'A″ B "C"'),
        ('"etxe"ak " x "', '"etxe"ak " x "'),
        ('5"x7" ("a")', '5″x7″ ("a")'),
    ],
)
def test_by_hand(text, expected):
    assert paired_quotes(text) == expected


@pytest.mark.parametrize("mark", ['5" bred', '"5 bred', '5 "bred', "5 bred"])
def test_sentences_end_behind_an_odd_mark(mark):
    text = f'Ringen var {mark}. Det regner. Vi går hjem. Han sagde: "Jeg kommer."'
    assert len(list(make_tokenizer("rules", "da")(text))) == 4
