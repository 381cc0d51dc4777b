"""Sentences as labels of characters, and back."""

from functools import partial

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.helpers.texts import ODD
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN, labels_of, sentences_of
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.cutting import MAX_PART, MAX_SENTENCE
from udify_allennlp.text.gold_text import paragraphs
from udify_allennlp.text.raw_text import Token

PATHS = sorted(FIXTURES.glob("ud/*.conllu"))


def decode(text, labels, cuts=(), words=lambda start, end: ("a", "b")):
    parts = numpy.split(numpy.array(labels, dtype=numpy.uint8), sorted(cuts))
    return [tokens for _, tokens in sentences_of(text, parts, words)]


def words_at(places, start, end):
    return places[start, end]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_gold_labels_are_the_gold_sentences_again(path):
    for text, sentences in paragraphs(read_sentences(path)):
        places = {(token.start, token.end): token.words for s in sentences for token in s}
        labels = labels_of(len(text), sentences)
        found = decode(text, labels, range(0, len(text), 700), partial(words_at, places))
        assert found == sentences


@given(data=st.data(), text=st.text(ODD, max_size=60))
def test_any_labels_of_any_text(data, text):
    """Tokens are in order, all that is visible is in one, and parts make no difference."""
    labels = data.draw(st.lists(st.integers(0, 7), min_size=len(text), max_size=len(text)))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=4))
    found = decode(text, labels)
    assert found == decode(text, labels, cuts)
    assert all(found)
    place = 0
    for token in (token for tokens in found for token in tokens):
        assert place <= token.start < token.end
        assert not text[place : token.start].strip()
        surface = text[token.start : token.end]
        assert surface == surface.strip()
        place = token.end
    assert not text[place:].strip()
    again = labels_of(len(text), found)
    visible = [i for i, character in enumerate(text) if not character.isspace()]
    for i in visible[:-1]:
        assert again[i] & TOKEN == labels[i] & TOKEN
    # A token of a sentence is followed by one of the next only where the label says so.
    for tokens in found[:-1]:
        assert labels[tokens[-1].end - 1] & SENTENCE


def test_by_hand():
    text = " Il va  au 1 000.Oui"
    labels = numpy.zeros(len(text), dtype=int)
    labels[[2, 5, 15, 16]] = TOKEN
    labels[9] = TOKEN | MULTIWORD
    labels[16] |= SENTENCE
    assert decode(text, labels) == [
        [Token(1, 3), Token(4, 6), Token(8, 10, ("a", "b")), Token(11, 16), Token(16, 17)],
        [Token(17, 20)],
    ]


@pytest.mark.parametrize("text", ["", " ", "\n \t"])
def test_nothing(text):
    assert decode(text, [0] * len(text)) == []


@pytest.mark.parametrize("text", ["a" * 30_001, "a " * 20_000, " " * 20_000 + "a", "ab\n" * 9000])
@pytest.mark.parametrize("label", [0, TOKEN])
def test_sentences_and_tokens_without_an_end_are_cut(text, label):
    labels = [label] * len(text)
    found = decode(text, labels)
    assert found == decode(text, labels, range(0, len(text), 777))
    tokens = [token for sentence in found for token in sentence]
    assert max(sum(not c.isspace() for c in text[t.start : t.end]) for t in tokens) <= MAX_PART
    assert max(s[-1].end - s[0].start for s in found) <= MAX_SENTENCE
    assert sum(token.end - token.start for token in tokens) >= len(text.replace(" ", "")) / 2
