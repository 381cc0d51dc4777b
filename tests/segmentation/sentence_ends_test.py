import numpy
import pytest

from udify_allennlp.segmentation.labels import SENTENCE, TOKEN
from udify_allennlp.segmentation.sentence_ends import end_inside_long

LENGTH = 400
TOKENS = range(4, LENGTH, 5)


def ends(logits, lang="qaf", length=LENGTH, ended=(), spaces=()):
    """
    Returns the ends of sentences in a text of tokens of five characters, with spaces after some.
    """
    labels = numpy.zeros(length, dtype=numpy.uint8)
    labels[[place for place in TOKENS if place < length]] = TOKEN
    labels[list(ended)] |= SENTENCE
    scores = numpy.full(length, -9.0)
    for place, logit in logits.items():
        scores[place] = logit
    text = "".join(" " if place - 1 in spaces else "a" for place in range(length))
    end_inside_long(labels, scores, "b" * 1000 + text, 1000, lambda place: lang)
    return numpy.flatnonzero(labels & SENTENCE).tolist()


def test_long_runs_of_a_language_without_marks_end_at_the_most_probable_tokens():
    assert ends({99: -1.0, 199: -1.9, 249: -0.5, 299: -2.9}) == [99, 249]


@pytest.mark.parametrize(
    "given",
    [
        {"lang": "en"},
        {"length": 150},
        {"ended": [119, 239, 359]},  # all runs are short
    ],
)
def test_other_runs_are_not_cut(given):
    assert ends({49: -1.0, 124: -0.5}, **given) == given.get("ended", [])


def test_neither_an_improbable_end_nor_one_in_a_token_or_at_the_edge_is_taken():
    assert ends({4: -1.0, 201: -1.0, 249: -2.5, 394: -1.0}) == []


def test_thai_sentences_are_shorter_and_end_at_spaces_more_often():
    possible = {99: -1.5, 149: -1.0, 249: -3.9, 299: -4.1}
    assert ends(possible, lang="th") == [99, 149]
    assert ends(possible, lang="th", spaces=[99, 249, 299]) == [99, 149, 249]
    assert ends({59: -1.0, 64: -2.5}, lang="th", length=101, spaces=[64]) == [64]
    assert ends({59: -1.0, 64: -2.5}, lang="th", length=100, spaces=[64]) == []
