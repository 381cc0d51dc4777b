"""Words that occur once in training, in a case that often has the form of another."""

import numpy
import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data import syncretism
from udify_allennlp.data.known_words import (
    NOT_ANNOTATED,
    Analysis,
    ContextWord,
    KnownWords,
    Treebank,
    Word,
)
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.data.syncretism import with_other_cases

NOM, ACC, DAT = (f"Case={case}|Number=Plur" for case in ("Nom", "Acc", "Dat"))
MASC, FEM = (f"Case=Acc|Gender={gender}|Number=Plur" for gender in ("Masc", "Fem"))


@pytest.fixture(autouse=True)
def few_words(monkeypatch):
    monkeypatch.setattr(syncretism, "WORDS", 3)


def word(*feats, rare=False, upos="NOUN"):
    return Word(tuple(Analysis(upos, each, "l|") for each in feats), rare)


FREQUENT = {"Tage": word(NOM, ACC), "Tagen": word(DAT), "Leute": word(ACC, NOM)}


def packed(**words):
    vocab = vocabulary(Vocabulary(), Treebank("de_one", frozenset(), words))
    return vocab, KnownWords(vocab).packed("de")


@pytest.mark.parametrize(
    "own, expected",
    [
        (word(NOM, rare=True), {NOM, ACC}),
        (word(ACC, rare=True), {ACC, NOM}),
        (word(NOM), {NOM}),  # frequent words have their other cases
        (word(DAT, rare=True), {DAT}),
        (word(NOM, rare=True, upos="VERB"), {NOM}),
        (word(NOT_ANNOTATED, rare=True), set()),
    ],
)
def test_by_hand(own, expected):
    assert with_other_cases(own, "de", packed(**FREQUENT)[1]) == expected


def test_rare_words_and_other_differences_do_not_count():
    one = {"Tage": word(NOM, ACC, rare=True), "Tagen": word(DAT)}
    assert with_other_cases(word(NOM, rare=True), "de", packed(**one)[1]) == {NOM}
    genders = {form: word(MASC, FEM) for form in ("eine", "keine", "meine")}
    assert with_other_cases(word(MASC, rare=True), "de", packed(**genders)[1]) == {MASC}


@pytest.mark.parametrize("count, expected", [(57, {NOM, ACC}), (58, {NOM})])
def test_a_twentieth_of_the_words_is_enough(count, expected):
    # 3 of 60 words and the two that are added, or of 61.
    words = {f"Tag{number}": word(NOM) for number in range(count - 2)}
    words |= {form: word(NOM, ACC) for form in ("a", "b", "c")}
    assert with_other_cases(word(NOM, rare=True), "de", packed(**words)[1]) == expected


def test_a_word_may_get_its_other_case():
    words = {**FREQUENT, "Häuser": word(NOM, rare=True), "Kinder": word(NOM), "Hunden": word(DAT)}
    vocab, _ = packed(**words)
    labels = [NOM, ACC, DAT]
    limits = LabelLimits(vocab, "feats", labels)
    scores = numpy.array([[-2.0, -1.0, 0.0]] * 3)

    def chosen(*forms, treebank="de_one"):
        best = scores[: len(forms)].argmax(1)
        given = [ContextWord(form, "de", treebank, "NOUN", False) for form in forms]
        limits.apply(best, given, LabelScores(scores.__getitem__, 3))
        return [labels[label] for label in best]

    assert chosen("Häuser", "Kinder", "Hunden") == [ACC, NOM, DAT]
    assert chosen("Häuser", treebank="") == [ACC]


def test_a_language_with_few_known_words_is_left_out(monkeypatch):
    _, text = packed(**FREQUENT, Dinge=word(DAT, rare=True))
    assert with_other_cases(word(NOM, rare=True), "de", text) == {NOM, ACC}
    syncretism._others.cache_clear()
    monkeypatch.setattr(syncretism, "WORDS", 10_000)
    assert with_other_cases(word(NOM, rare=True), "de", text) == {NOM}


def test_each_language_is_counted_once(monkeypatch):
    asked = []
    words_of = syncretism.words_of
    monkeypatch.setattr(syncretism, "words_of", lambda *a: asked.append(a) or words_of(*a))
    _, text = packed(**FREQUENT, Dinge=word(NOM, rare=True))
    for _ in range(3):
        with_other_cases(word(NOM, rare=True), "de", text)
    assert len(asked) == 1
