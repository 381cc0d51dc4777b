"""Word boundaries as in treebanks."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icu4py.breakers import WordBreaker

from udify_allennlp.text.word_rules import _INSIDE, word_rules

PLAIN = st.text("ab é ş東", max_size=40)
"""Letters and spaces, of which no rule says anything."""


def words(text, lang=None):
    return [text[token.start : token.end] for token in word_rules(lang)(text)]


@given(text=PLAIN)
def test_where_no_rule_says_otherwise_words_are_those_of_unicode(text):
    found = [part for part in WordBreaker(text, "en") if not part.isspace()]
    assert words(text) == found


@given(text=st.text("ab1.,:-'’@/# \n東", max_size=60), lang=st.sampled_from([None, *_INSIDE]))
def test_words_are_in_order_and_leave_out_white_space_alone(text, lang):
    tokens = word_rules(lang)(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(tokens))
    assert "".join("".join(words(text, lang)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "lang, marked",
    [
        ("en", "Mr. O'Neil ca|n't pay $|1,000.50 (|he|'ll wo|n’t|) at 15:30|."),
        ("en", "See http://a.b/c?d=e&f|, mail a.b@c.de or @me :-) now|!"),
        ("en", "The U.S. has state|-|based laws|... really|?|!"),
        ("en", "An idea of Smith etc|."),
        ("de", "Z.B. die Haupt- und Neben|-|Sätze am 3. Mai 1984/85|."),
        ("fr", "Aujourd'hui l'|eau qu’|il a peut-être bue|."),
        ("ga", "D'|fhan an t-uisce|."),
        ("ro", "Să|-mi spui ce s-|a întâmplat într-|un an|."),
        ("hu", "A XIX. század II. János|."),
        ("cs", "Např|. auto|-|moto|."),
        ("fi", "Koti- ja työpaikka 3. kerta EU-maissa|."),
        ("ko", "1990년 3월에 왔다|."),
        ("zh", "我们|爱|北京|2024|年|。"),
        (None, "l'eau peut-être 20th C-3|."),
    ],
)
def test_by_hand(lang, marked):
    """`|` is where words are parted without a space."""
    assert words(marked.replace("|", ""), lang) == re.split("[| ]", marked)
