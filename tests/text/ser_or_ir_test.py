"""Past forms of `ser` and `ir`."""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data.known_words import Analysis, Treebank, Word
from udify_allennlp.data.lemma_lookup import LemmaLookup
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.ser_or_ir import GOING, forms_of_ir


@pytest.mark.parametrize(
    "lang, text, places",
    [
        ("es", "Ayer fui a el médico", [1]),
        ("es", "Fueron hacia la playa , y fue a casa", [0, 6]),
        ("es", "Él fue médico", []),
        ("es", "Así fue", []),
        ("es", "FUE A CASA", [0]),
        ("pt", "Ontem fui a o médico", [1]),
        ("pt", "Ele foi para casa", [1]),
        ("pt", "Foi a melhor decisão", []),
        ("pt", "Foi a", []),
        ("gl", "Onte fun a o cine", [1]),
        ("it", "fui a casa", []),
    ],
)
def test_before_a_preposition_of_motion_they_are_those_of_ir(lang, text, places):
    sentence = Sentence.from_words(text.split(" "))
    assert list(forms_of_ir(sentence, lang)) == [(place, GOING) for place in places]


def test_their_lemma_is_ir():
    words = {"casa": Word((Analysis("NOUN", "_", "l|"),), is_rare=False)}
    lookup = LemmaLookup(vocabulary(Vocabulary(), Treebank("es_one", frozenset(), words)))
    columns = [{"upos": ["VERB", "ADP", "NOUN"], "lemmas": ["ser", "a", "casa"]}]
    lookup.apply(columns, [Sentence.from_words(["Fue", "a", "casa"])], ["es"])
    assert columns[0]["lemmas"] == ["ir", "a", "casa"]
