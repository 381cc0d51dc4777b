"""Known words rather have their most frequent UPOS in a treebank, if they are function words."""

import numpy
import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data.known_words import Analysis, ContextWord, Treebank, Word
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.data.lexicon import RARER, Lexicon

UPOS = ["ADP", "ADV", "AUX", "NOUN", "SCONJ", "VERB"]


def known(*tags, feats="_"):
    return Word(tuple(Analysis(upos, feats, "l|") for upos in tags), False)


unknown = known()
WORDS = {
    "auf": known("ADP", "ADV", "NOUN"),
    "sind": known("AUX", "VERB"),
    "als": known("SCONJ", "ADP"),
    "arm": known("NOUN", "ADV"),
    "um": known("ADP"),
}


@pytest.fixture
def limits():
    return LabelLimits(vocabulary(Vocabulary(), Treebank("de_a", frozenset(), WORDS)), "upos", UPOS)


@pytest.mark.parametrize(
    "form, best, by, second, expected",
    [
        ("auf", "ADV", 0.9 * RARER, "ADP", "ADP"),
        ("auf", "ADV", 1.1 * RARER, "ADP", "ADV"),
        ("Auf", "ADV", 0.9 * RARER, "ADP", "ADP"),
        ("auf", "ADP", 0.1, "ADV", "ADP"),
        ("als", "ADP", 0.9 * RARER, "SCONJ", "SCONJ"),
        # Content words and words for them are as the model says.
        ("auf", "NOUN", 0.1, "ADP", "NOUN"),
        ("arm", "ADV", 0.1, "NOUN", "ADV"),
        ("sind", "VERB", 0.1, "AUX", "VERB"),
        # Of a UPOS that training lacks, the best known one, whichever is more frequent.
        ("auf", "SCONJ", 0.1, "NOUN", "NOUN"),
        ("um", "ADV", 2.0, "NOUN", "ADP"),
        ("unbekannt", "ADV", 0.1, "ADP", "ADV"),
    ],
)
def test_a_function_word_rather_has_its_most_frequent_upos(
    limits, form, best, by, second, expected
):
    log_prob = numpy.full((1, len(UPOS)), -9.0, dtype=numpy.float32)
    log_prob[0, [UPOS.index(best), UPOS.index(second)]] = [-0.5, -0.5 - by]
    found = log_prob.argmax(1)
    scores = LabelScores(lambda places: log_prob[places], 8)
    limits.apply(found, [ContextWord(form, "de", "de_a", "_", False)], scores)
    assert UPOS[found[0]] == expected
    if best in {each.upos for each in WORDS.get(form.lower(), unknown).analyses}:
        # Text of which no treebank is known may be of another kind.
        found = log_prob.argmax(1)
        limits.apply(found, [ContextWord(form, "de", "", "_", False)], scores)
        assert UPOS[found[0]] == best


def test_features_do_not_depend_on_frequency():
    words = {"die": Word((Analysis("DET", "Case=Nom", "l|"), Analysis("DET", "Case=Acc", "l|")), 0)}
    vocab = vocabulary(Vocabulary(), Treebank("de_a", frozenset(), words))
    lexicon = Lexicon(vocab, "feats", ["Case=Acc", "Case=Dat", "Case=Nom"])
    word = ContextWord("die", "de", "de_a", "DET", False)
    assert lexicon.others([word], [0]) == lexicon.others([word], [2]) == {}
    assert lexicon.others([word], [1])[0].costs.tolist() == [0.0, 0.0]
