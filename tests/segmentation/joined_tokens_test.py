"""Tokens that are written together: by hand, with a list of few words, and as shipped."""

from functools import partial

import numpy
import pytest

from tests.helpers.segmentation import cut, token_ends
from udify_allennlp.segmentation import joined_tokens, tokenizer
from udify_allennlp.segmentation.joined_tokens import end_joined, is_inside
from udify_allennlp.segmentation.joined_words import LONGEST_TOKEN
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN

STEMS = ("كتاب", "بيت", "مدرسة", "سوق", "درس", "باب")


@pytest.fixture
def few(monkeypatch):
    """A list with `و` and `ه` beside each stem."""
    pairs = [words for stem in STEMS for words in (("و", stem), (stem, "ه"))]

    def token_words(lang):
        return iter([*pairs, ("وزير",), ("منه",)])

    monkeypatch.setattr(joined_tokens, "token_words", token_words)
    joined_tokens._model.cache_clear()
    yield
    joined_tokens._model.cache_clear()


ends = partial(token_ends, end_joined, "ar")


def test_the_most_probable_words_are_tokens(few):
    assert ends("وبيته") == [0, 3]
    assert ends("سوق وبيت") == [4]
    assert ends("وزير") == ends("منه") == []


def test_the_network_may_outweigh_the_list(few):
    assert ends("وبيت", {0: -50.0}) == []
    assert ends("وزير", {0: 50.0}) == [0]
    assert ends("وزير", {2: 50.0}) == []  # neither the best words nor those of the labels
    assert ends("وزير", {2: 50.0}, own=[2]) == []  # two words of it are no affixes
    assert ends("بيته", {2: -50.0}, own=[2]) == []


@pytest.mark.parametrize(
    "text", ["وبيت1", "وَبيت", "وـبيت", "و", "و" * (LONGEST_TOKEN + 1), "abc", "وبيت_"]
)
def test_other_words_are_left_to_the_network(few, text):
    assert ends(text, own=[0]) == [0]


def test_words_of_other_languages_and_those_that_begin_before_are_left_to_the_network(few):
    assert ends("وبيت", lang="fa") == ends("وبيت", start=1) == []
    assert ends("بيت وبيت", stop=6) == []


def test_what_ends_after_the_word_stays(few):
    labels = numpy.array([0, 0, 0, TOKEN | SENTENCE], dtype=numpy.uint8)
    end_joined(labels, numpy.zeros(4), "وبيت", 0, "ar", lambda place: "ar")
    assert labels.tolist() == [TOKEN, 0, 0, TOKEN | SENTENCE]


def test_verbs_that_only_look_like_two_words(few):
    assert ends("شربنا") == [] and ends("وشربنا") == [0]


def test_inside():
    assert [is_inside("بيت abc", place) for place in range(1, 7)] == [True, True] + [False] * 4


def test_shipped():
    text = "أكلنا وشربنا في بيتهم."
    assert cut(text, "ar") == ["أكلنا و شربنا في بيت هم ."]


def test_the_size_of_blocks_does_not_matter(monkeypatch):
    text = "كتبت رسالة لصديقي وأرسلتها بالبريد. وقف الرجل وسأل الشرطي عن بيته. " * 8
    expected = cut(text, "ar")
    for size in (37, 100):
        monkeypatch.setattr(tokenizer, "BLOCK", size)
        assert cut(text, "ar") == expected
