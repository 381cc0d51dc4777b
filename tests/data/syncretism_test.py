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
from udify_allennlp.data.syncretism import further_cases, further_features, with_other_cases

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


GEN = "Case=Gen|Number=Plur"
FEMININE = {"Frau": word(NOM, ACC, DAT), "Hand": word(NOM, DAT, ACC), "Art": word(ACC, DAT)}


@pytest.mark.parametrize(
    "own, expected",
    [
        (word(ACC, DAT), {NOM}),  # two of the three words with both are nominatives as well
        (word(DAT), {NOM, ACC}),
        (word(NOM, ACC, DAT), set()),
        (word(ACC, DAT, rare=True), set()),
        (word(ACC, DAT, upos="VERB"), set()),
        (word(GEN), set()),
        (word(MASC), set()),
        (word(NOT_ANNOTATED), set()),
    ],
)
def test_further_cases_by_hand(own, expected):
    assert further_cases(own, "de", packed(**FEMININE)[1]) == expected


@pytest.mark.parametrize("count, expected", [(58, {NOM}), (59, set())])
def test_a_twentieth_of_the_words_is_enough_for_a_further_case(count, expected):
    words = {f"Tag{number}": word(ACC) for number in range(count - 3)}
    words |= {form: word(NOM, ACC) for form in ("a", "b", "c")}
    assert further_cases(word(ACC), "de", packed(**words)[1]) == expected


def test_slavic_accusatives_depend_on_animacy():
    animate, inanimate = "Animacy=Anim|Case=Gen", "Animacy=Inan|Case=Acc"
    _, text = packed(**{form: word(animate, inanimate) for form in ("a", "b", "c")})
    assert further_cases(word(animate), "de", text) == {inanimate}
    assert further_cases(word("Case=Gen"), "de", text) == set()


def test_some_cases_have_animacy_and_others_do_not():
    # Neither hides the other, whatever the order of the sets.
    own = ["Animacy=Anim|Case=Gen", "Case=Acc"]
    further = ["Animacy=Inan|Case=Dat", "Case=Nom"]
    _, text = packed(**{form: word(*own, *further) for form in ("a", "b", "c")})
    assert further_cases(word(*own), "de", text) == {*further}


FIRST, THIRD, SINGULAR, PAST = (
    f"Mood=Ind|Number={number}|Person={person}|Tense={tense}"
    for number, person, tense in [
        ("Plur", 1, "Pres"),
        ("Plur", 3, "Pres"),
        ("Sing", 3, "Pres"),
        ("Plur", 3, "Past"),
    ]
)
VERBS = {form: word(FIRST, THIRD, upos="VERB") for form in ("gehen", "essen")} | {
    form: word(SINGULAR, upos="VERB") for form in ("geht", "isst", "bleibt")
}


@pytest.mark.parametrize(
    "own, expected",
    [
        (word(THIRD, upos="VERB"), {FIRST}),
        (word(THIRD, upos="AUX"), {FIRST}),  # auxiliaries are inflected like verbs
        (word(THIRD, "VerbForm=Inf", upos="VERB", rare=True), {FIRST}),
        (word(SINGULAR, upos="VERB"), set()),
        (word(PAST, upos="VERB"), set()),
        (word(THIRD, upos="NOUN"), set()),
    ],
)
def test_verbs_have_persons_of_one_form(own, expected):
    text = packed(**VERBS)[1]
    assert further_features(own, "de", text) == expected
    assert further_cases(own, "de", text) == set()


def test_possessives_are_inflected_alike():
    def possessives(person, *genders):
        return word(
            *(
                f"Case=Nom|Gender={gender}|Number=Sing|Number[psor]=Sing|Person[psor]={person}"
                for gender in genders
            ),
            upos="DET",
        )

    words = {"dein": possessives(2, "Masc", "Neut"), "sein": possessives(3, "Neut", "Masc")}
    text = packed(**words, meine=possessives(1, "Fem"))[1]
    mine, others = possessives(1, "Masc"), possessives(1, "Neut").values("feats")
    assert further_features(mine, "de", text) == others
    assert further_cases(mine, "de", text) == set()


def test_a_wrong_annotation_does_not_hide_other_cases():
    # Another gender is a part by itself.
    fem = [f"Case={case}|Gender=Fem|Number=Sing" for case in ("Nom", "Acc", "Dat")]
    text = packed(Hand=word(*fem), Frau=word(*fem), Wand=word(*fem[1:]))[1]
    assert further_features(word(fem[2], MASC), "de", text) == {*fem[:2]}


@pytest.mark.parametrize("score, expected", [(-0.4, ACC), (-0.6, NOM)])
@pytest.mark.parametrize("treebank", ["", "de_one"])
def test_a_further_case_must_be_more_probable(treebank, score, expected):
    limits = LabelLimits(packed(**FEMININE)[0], "feats", [NOM, ACC, DAT])
    art = [ContextWord("Art", "de", treebank, "NOUN", False)]
    scores = LabelScores(numpy.array([[1.0, score, -9.0]]).__getitem__, 3)
    best = numpy.zeros(1, dtype=numpy.int64)
    limits.apply(best, art, scores)
    assert [NOM, ACC, DAT][best[0]] == expected
    ((first, _), (second, _), _) = limits.likely(art, scores, [0], 3)[0]
    assert first == best[0] and second == 1 - first


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
