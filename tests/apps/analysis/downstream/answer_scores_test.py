"""Exact match and F1 of answers, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.apps.analysis.downstream.answer_scores import (
    best_scores,
    language_of,
    mean_scores,
    mlqa_words,
    squad_words,
)


@pytest.mark.parametrize(
    ("predicted", "gold", "em", "f1"),
    [
        ("The Cat, sat!", ["cat sat"], 1, 1),
        ("the cat sat down", ["cat sat", "a dog"], 0, 0.8),  # p = 2/3, r = 1
        ("sat cat", ["cat sat"], 0, 1),  # order counts for exact match alone
        ("cat cat", ["cat"], 0, 2 / 3),  # p = 1/2, r = 1
        ("dog", ["cat", "Dog."], 1, 1),  # the answer that fits best
        ("", ["cat"], 0, 0),
        ("the", ["a"], 1, 0),  # the script's: nothing is shared
        ("308分。", ["308分"], 0, 0),  # only ASCII punctuation, one word
        ("der Hund", ["Hund"], 0, 2 / 3),
    ],
)
def test_squad(predicted, gold, em, f1):
    assert best_scores(predicted, gold, squad_words) == pytest.approx((em, f1))


@pytest.mark.parametrize(
    ("lang", "answer", "words"),
    [
        ("en", "The “Cat”—sat", ["catsat"]),
        ("de", "Der große Hund", ["große", "hund"]),
        ("es", "¿La Unión?", ["unión"]),
        ("vi", "cái nhà của tôi", ["nhà", "tôi"]),
        ("ar", "الكتاب", ["كتاب"]),
        ("hi", "वह घर।", ["वह", "घर"]),
        ("zh", "丢了308分。", ["丢", "了", "308", "分"]),
    ],
)
def test_mlqa(lang, answer, words):
    assert mlqa_words(lang)(answer) == words


def test_languages_without_a_rule():
    assert mlqa_words("th") is None and mlqa_words("") is None
    names = ("a/xquad.zh.json.xz", "test-context-de-question-es.json", "xquad.th.json", "de/x.json")
    assert [language_of(name) for name in names] == ["zh", "de", "", ""]


def test_means_are_percent():
    means = mean_scores(["a cat", "dog", "x"], [["cat"], ["dog cat"], ["y"]], squad_words)
    assert means == pytest.approx((100 / 3, 100 * (1 + 2 / 3) / 3))


WORDS = st.lists(st.sampled_from("abcd"), max_size=5)


@given(predicted=WORDS, gold=WORDS)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(predicted, gold):
    left = list(gold)
    shared = 0
    for word in predicted:
        if word in left:
            left.remove(word)
            shared += 1
    expected = 0.0
    if shared:
        precision, recall = shared / len(predicted), shared / len(gold)
        expected = 2 * precision * recall / (precision + recall)
    em, f1 = best_scores(" ".join(predicted), [" ".join(gold)], str.split)
    assert f1 == pytest.approx(expected) and em == (predicted == gold)
