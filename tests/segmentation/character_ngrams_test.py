"""Ends of words by the characters around them: by hand, by a naive twin, and as shipped."""

import re
from functools import partial

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import cut, token_ends
from udify_allennlp.segmentation import character_ngrams, tokenizer
from udify_allennlp.segmentation.character_ngrams import (
    AFTER,
    BEFORE,
    BITS,
    FILE,
    TREEBANKS,
    UNIT,
    end_unspaced,
    features_of,
    places_inside,
)
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN

TEXTS = st.text("東京都に行くカメラ。 a1\0", max_size=24)


@pytest.fixture
def by_hand(monkeypatch):
    """Weights that end a word with 2 logits between `都` and `に`, and with 1 fewer anywhere."""

    def weights(lang):
        of_all = numpy.zeros(2**BITS, dtype=numpy.int8)
        elsewhere, between = features_of("x都に東都x", numpy.array([3, 1]))
        everywhere = set(elsewhere) & set(between)
        here = set(between) - set(elsewhere) - set(features_of("都東に", numpy.array([0]))[0])
        of_all[sorted(here)[0]] = 3 / UNIT
        of_all[0] = -1 / UNIT
        assert 0 in everywhere
        return of_all

    monkeypatch.setattr(character_ngrams, "_weights", weights)


ends = partial(token_ends, end_unspaced, "ja")


def test_logits_and_weights_add_up(by_hand):
    assert ends("x都に東都x") == [1]
    assert ends("x都に東都x", {1: -1.9}) == [1]
    assert ends("x都に東都x", {1: -2.1, 2: 1.1, 3: 0.9}) == [2]


def test_labels_elsewhere_and_in_other_languages_stay(by_hand):
    assert ends("都に 東都x", own=[1, 2, 4]) == [1, 2, 4]
    assert ends("x東都に", own=[1], lang="zh") == [1]
    assert ends("x東都に", own=[1]) == []


def test_the_end_of_a_sentence_ends_a_word(by_hand):
    labels = numpy.array([TOKEN, TOKEN | SENTENCE, 0], dtype=numpy.uint8)
    end_unspaced(labels, numpy.zeros(3), "東京東", 0, "ja", lambda place: "ja")
    assert labels.tolist() == [0, TOKEN | SENTENCE, 0]


@given(text=TEXTS, cuts=st.lists(st.integers(0, 24), max_size=3))
def test_places_are_those_between_two_such_characters_wherever_a_text_is_cut(text, cuts):
    found = [
        each.start() for each in re.finditer("[東京都に行くカメラ](?=[東京都に行くカメラ])", text)
    ]
    borders = sorted({0, *(each for each in cuts if each < len(text)), len(text)})
    parts = [places_inside(text, *pair).tolist() for pair in zip(borders, borders[1:])]
    assert sum(parts, []) == found


@given(text=TEXTS, before=TEXTS, after=TEXTS)
def test_features_depend_on_few_characters(text, before, after):
    places = places_inside(text, 0, len(text))
    edge = BEFORE * "x"
    joined = before + edge + text + edge + after
    shift = len(before + edge)
    expected = features_of(edge + text + edge, places + len(edge))
    assert (features_of(joined, places + shift) == expected).all()
    for place, own in zip(places.tolist(), features_of(text, places)):
        around = ("\0" * BEFORE + text + "\0" * AFTER)[place + 1 : place + 1 + BEFORE + AFTER]
        assert (features_of(around, numpy.array([BEFORE - 1]))[0] == own).all()


def test_features_are_those_of_the_characters_and_their_classes():
    places = numpy.array([2])
    own = features_of("東京に行くカ", places)[0]
    assert own.min() >= 0 and own.max() < 2**BITS and len({*own.tolist()}) == len(own)
    # Another Han character at the edge: what has it differs, 4 n-grams, and no classes.
    other = features_of("都京に行くカ", places)[0]
    assert (own != other).sum() == 4
    # A letter is of another class.
    assert (own != features_of("a京に行くカ", places)[0]).sum() == 5


def test_all_shipped_weights_are_read():
    with numpy.load(FILE) as languages:
        assert {*languages.keys()} == TREEBANKS.keys()
        for lang in languages:
            assert languages[lang].dtype == numpy.int8
            assert languages[lang].shape == (2**BITS,)
            assert numpy.count_nonzero(languages[lang]) > 5000


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("ja", "私 は 昨日 友達 と 一緒 に 東京 へ 行き まし た 。"),
        ("ja", "彼女 は とても 優しい 人 だ 。"),
        ("ja", "電車 が 遅れ た の で 会議 に 間に合わ なかっ た 。"),
        ("zh", "我 昨天 和 朋友 一起 去 了 北京 。"),
        ("zh", "我們 明天 要 去 台北 看 電影 。"),
    ],
)
def test_shipped(lang, text):
    assert cut(text.replace(" ", ""), lang) == [text]


def test_a_treebank_that_is_named_keeps_its_own_words():
    text = "共和党は、可能性について述べた。"
    assert cut(text, "ja_gsdluw") != cut(text, "ja") == cut(text, "ja_gsd")


@pytest.mark.parametrize("lang", ["ja", "zh", "th"])
def test_the_size_of_blocks_does_not_matter(monkeypatch, lang):
    text = {
        "ja": "電車が遅れたので会議に間に合わなかった。カメラを3台買った。",
        "zh": "我們明天要去台北看電影，你想不想一起去？",
        "th": "เมื่อวานนี้ฉันไปตลาดกับเพื่อน แล้วซื้อผลไม้ ",
    }[lang] * 12
    expected = cut(text, lang)
    for size in (37, 100):
        monkeypatch.setattr(tokenizer, "BLOCK", size)
        # Ends of Thai sentences, which have no marks, are found in each block.
        assert " ".join(cut(text, lang)) == " ".join(expected)
