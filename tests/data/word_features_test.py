"""Features that word lists give to forms that training lacks."""

import numpy
import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data import features_of_upos, known_words, word_features
from udify_allennlp.data.everyday_words import Everyday
from udify_allennlp.data.known_words import NOT_ANNOTATED, Analysis, ContextWord, Treebank, Word
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.data.word_features import FILE, WordFeatures
from udify_allennlp.text.casing import lower

LABELS = [
    "Case=Dat|Gender=Fem|Number=Sing",
    "Case=Dat|Gender=Masc|Number=Sing",
    "Case=Acc|Gender=Masc|Number=Plur",
    "Case=Acc|Gender=Neut|Number=Sing",
    "Number=Plur",
    "Mood=Ind|VerbForm=Fin",
    "VerbForm=Inf",
    "Mood=Sub|VerbForm=Fin",
    "_",
]
DAT_FEM, DAT_MASC, ACC_PLUR, ACC_NEUT, PLUR, FIN, INF, SUB, NONE = range(9)
LIST = """\
[de]
NOUN Gender=Masc: patient bein
NOUN Case=Dat|Gender=Masc|Number=Sing Gender=Masc|Number=Plur: patienten
VERB VerbForm=Inf: hatten
VERB Mood=Sub: hätten

[xx]
NOUN Gender=Neut: patient
"""


def word(upos, *labels):
    return Word(tuple(Analysis(upos, LABELS[label], "l|") for label in labels), False)


WORDS = {
    "Haus": word("NOUN", DAT_FEM, DAT_MASC, ACC_PLUR, ACC_NEUT),
    "Leute": word("NOUN", PLUR),
    "hatten": word("VERB", FIN),
    "geh": word("VERB", INF),
    "werden": word("AUX", FIN, SUB),
}
EVERYDAY = {"bein": (Everyday("NOUN", NOT_ANNOTATED, "Bein"),)}


@pytest.fixture
def vocab(monkeypatch, tmp_path):
    own = tmp_path / "list.txt"
    own.write_text(LIST, encoding="utf-8")
    monkeypatch.setattr(features_of_upos, "FEWEST", 1)
    monkeypatch.setattr(word_features, "FILE", own)
    word_features.word_features.cache_clear()
    monkeypatch.setattr(known_words, "everyday_words", lambda lang: EVERYDAY)
    known_words._everyday.cache_clear()
    known_words.words_of.cache_clear()
    yield vocabulary(Vocabulary(), Treebank("de_one", frozenset(), WORDS))
    own_caches = (features_of_upos._features_of, known_words._everyday, known_words.words_of)
    for cache in (word_features.word_features, *own_caches):
        cache.cache_clear()


def context(form, upos="NOUN", treebank="de_one", lang="de"):
    return ContextWord(form, lang, treebank, upos, True)


@pytest.mark.parametrize(
    "form, label, expected",
    [
        ("Patient", DAT_FEM, {DAT_MASC, ACC_PLUR}),
        ("PATIENT", ACC_NEUT, {DAT_MASC, ACC_PLUR}),
        ("Patient", DAT_MASC, None),
        # Of two readings one is enough, and both are as a whole.
        ("Patienten", ACC_PLUR, None),
        ("Patienten", ACC_NEUT, {DAT_MASC, ACC_PLUR}),
        # A label without the feature does not contradict: the treebank may not annotate it.
        ("Patient", PLUR, None),
        ("Haus", ACC_NEUT, None),
        # An everyday word without features.
        ("Bein", DAT_FEM, {DAT_MASC, ACC_PLUR}),
    ],
)
@pytest.mark.parametrize("treebank", ["de_one", ""])
def test_labels_that_contradict_all_readings_are_replaced(vocab, form, label, expected, treebank):
    found = WordFeatures(vocab, LABELS).others([context(form, treebank=treebank)], [label])
    assert ({*found[0].tolist()} if found else None) == expected


def test_words_of_training_other_parts_of_speech_and_languages_are_left_alone(vocab):
    listed = WordFeatures(vocab, LABELS)
    others = [
        context("hatten", "VERB"),
        context("Patient", "PROPN"),
        context("Patient", treebank="", lang="fr"),
        context("Patient", treebank="", lang="xx"),  # training lacks the language
    ]
    assert not listed.others(others, [FIN, DAT_FEM, DAT_FEM, DAT_FEM])
    assert not WordFeatures(Vocabulary(), LABELS).others([context("Patient")], [DAT_FEM])


def test_without_a_treebank_words_are_not_without_features(vocab):
    listed = WordFeatures(vocab, LABELS)
    assert not listed.others([context("Patient")], [NONE])
    found = listed.others([context("Patient", treebank="")], [NONE])
    assert {*found[0].tolist()} == {DAT_MASC, ACC_PLUR}


def test_auxiliaries_are_verbs_of_the_list(vocab):
    found = WordFeatures(vocab, LABELS).others([context("hätten", "AUX")], [FIN])
    assert found[0].tolist() == [SUB]


def test_the_most_probable_of_them_is_taken_and_agreement_chooses_among_them(vocab):
    row = numpy.array([-0.1, -3.0, -2.5, -4.0, -9.0, -9.0, -9.0, -9.0, -9.0], numpy.float32)
    limits = LabelLimits(vocab, "feats", LABELS)
    words, best = [context("Patient"), context("Katze")], numpy.array([DAT_FEM, DAT_FEM])
    scores = LabelScores(lambda places: numpy.stack([row] * len(places)), 8)
    limits.apply(best, words, scores)
    assert best.tolist() == [ACC_PLUR, DAT_FEM]
    likely = limits.likely(words, scores, [0, 1], 3)
    assert [[label for label, _ in own] for own in likely] == [
        [ACC_PLUR, DAT_MASC],
        [DAT_FEM, ACC_PLUR, DAT_MASC],
    ]


def test_the_list_is_in_order():
    lang, seen = "", set()
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lang = line.strip("[]")
        elif line:
            analyses, forms = line.split(": ")
            upos, *readings = analyses.split(" ")
            assert readings == sorted(readings) and all("=" in reading for reading in readings)
            for form in forms.split(" "):
                assert form == lower(form, lang) and (lang, form, upos) not in seen
                seen.add((lang, form, upos))
    assert len(seen) > 20_000
