"""Features that words have with their predicted part of speech."""

import numpy
import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data import features_of_upos
from udify_allennlp.data.features_of_upos import KNOWN_MARGIN, MARGIN, FeaturesOfUpos
from udify_allennlp.data.known_words import NOT_ANNOTATED, Analysis, ContextWord, Treebank, Word
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores

LABELS = ["_", "PronType=Art", "PronType=Dem", "PronType=Rel", "Mood=Ind", "Number=Sing"]
NONE, ART, DEM, REL, IND, SING = range(6)


def word(*analyses):
    pairs = (each.split(" ") for each in analyses)
    return Word(tuple(Analysis(upos, feats, "l|") for upos, feats in pairs), False)


WORDS = {
    "das": word("DET PronType=Art", "PRON PronType=Dem", "PRON PronType=Rel"),
    "ist": word("AUX Mood=Ind"),
    "tom": word("NOUN Number=Sing"),
    "mein": word("DET Number=Sing", f"DET {NOT_ANNOTATED}"),
}
POOR = {"was": word("PRON _"), "Tag": word("NOUN Number=Sing")}


@pytest.fixture
def vocab(monkeypatch):
    monkeypatch.setattr(features_of_upos, "FEWEST", 1)
    treebanks = [
        Treebank("de_one", frozenset(), WORDS),
        Treebank("de_poor", frozenset(["PRON"]), POOR),
    ]
    return vocabulary(Vocabulary(), *treebanks)


def context(form, upos, treebank="de_one"):
    return ContextWord(form, "de", treebank, upos, False)


@pytest.mark.parametrize(
    "form, upos, treebank, fitting, margin",
    [
        ("das", "PRON", "de_one", {DEM, REL}, KNOWN_MARGIN),
        ("Das", "DET", "de_one", {ART}, KNOWN_MARGIN),
        # Of the treebank or the language, which may lack them where a treebank annotates poorly.
        ("das", "NOUN", "de_one", {SING}, MARGIN),
        ("geht", "AUX", "de_one", {IND}, MARGIN),
        ("jenes", "PRON", "de_one", {DEM, REL}, MARGIN),
        ("jenes", "PRON", "", {NONE, DEM, REL}, MARGIN),
        ("tom", "NOUN", "de_one", {SING}, KNOWN_MARGIN),
        # Nothing is known of verbs, of names and of the features of `mein`.
        ("geht", "VERB", "de_one", None, 0),
        ("Tom", "PROPN", "de_one", None, 0),
        ("mein", "DET", "de_one", None, 0),
        ("das", "", "de_one", None, 0),
        ("das", "PRON", "fr_one", None, 0),
    ],
)
def test_by_hand(vocab, form, upos, treebank, fitting, margin):
    of_upos = FeaturesOfUpos(vocab, LABELS)
    for label in range(len(LABELS)):
        found = of_upos.others([context(form, upos, treebank)], [label])
        if fitting is None or label in fitting:
            assert not found
        else:
            assert {*found[0].labels.tolist()} == fitting and found[0].margin == margin


def test_a_part_of_speech_of_few_words_and_an_archive_without_words_have_none(vocab, monkeypatch):
    monkeypatch.setattr(features_of_upos, "FEWEST", 2)
    features_of_upos._features_of.cache_clear()
    assert not FeaturesOfUpos(vocab, LABELS).others([context("geht", "AUX")], [SING])
    assert not FeaturesOfUpos(Vocabulary(), LABELS).others([context("das", "PRON")], [ART])
    features_of_upos._features_of.cache_clear()


@pytest.mark.parametrize(
    "form, gap, expected",
    [
        ("das", KNOWN_MARGIN - 0.1, REL),
        ("das", KNOWN_MARGIN + 0.1, ART),  # it is rather no pronoun
        ("jenes", MARGIN - 0.1, REL),
        ("jenes", MARGIN + 0.1, ART),
    ],
)
def test_they_are_taken_if_they_are_nearly_as_probable(vocab, form, gap, expected):
    row = numpy.full(len(LABELS), -9.0, numpy.float32)
    row[ART], row[REL], row[DEM] = -0.1, -0.1 - gap, -0.2 - gap
    limits = LabelLimits(vocab, "feats", LABELS)
    best = numpy.array([ART])
    scores = LabelScores(lambda places: numpy.stack([row] * len(places)), 8)
    limits.apply(best, [context(form, "PRON")], scores)
    assert best[0] == expected


def rare(*analyses):
    return word(*analyses)._replace(is_rare=True)


def poorly_annotated(empty, filled):
    """A treebank without features of some names that occur once, and its language's other one."""
    names = {
        f"Name{i}": rare("PROPN _" if i < empty else "PROPN Number=Sing") for i in range(filled)
    }
    own = {**names, "Europa": word("PROPN Number=Sing"), "fragt": rare("VERB _")}
    poor = Treebank("de_poor", frozenset(["PROPN"]), own)
    return vocabulary(Vocabulary(), poor, Treebank("de_one", frozenset(), WORDS))


@pytest.mark.parametrize(
    "empty, count, treebank, upos, form, expected",
    [
        (8, 10, "de_poor", "PROPN", "Ulm", NONE),
        (5, 5, "de_poor", "PROPN", "Ulm", NONE),
        # It has features of a fifth and more, or few names, or is not named, or it is another one.
        (7, 9, "de_poor", "PROPN", "Ulm", SING),
        (4, 4, "de_poor", "PROPN", "Ulm", SING),
        (8, 10, "", "PROPN", "Ulm", SING),
        (8, 10, "de_one", "PROPN", "Ulm", SING),
        # Other parts of speech are not annotated poorly, and known names have what they have there.
        (8, 10, "de_poor", "VERB", "denkt", SING),
        (8, 10, "de_poor", "PROPN", "Europa", SING),
    ],
)
def test_unknown_words_lack_the_features_that_their_treebank_does_not_annotate(
    empty, count, treebank, upos, form, expected
):
    limits = LabelLimits(poorly_annotated(empty, count), "feats", LABELS)
    log_prob = numpy.full((1, len(LABELS)), -20.0, dtype=numpy.float32)
    log_prob[0, SING] = 0
    best, scores = log_prob.argmax(1), LabelScores(lambda places: log_prob[places], 8)
    words = [context(form, upos, treebank)]
    limits.apply(best, words, scores)
    assert best.tolist() == [expected]
    # Agreement with other words does not change it.
    if expected == NONE:
        assert limits.likely(words, scores, [0], 4) == [[(NONE, -20.0)]]
