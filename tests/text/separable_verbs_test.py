"""Lemmas of Dutch verbs with particles."""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data import lemma_lookup
from udify_allennlp.data.known_words import Analysis, Treebank, Word
from udify_allennlp.data.lemma_lookup import EXCEPTIONS, LemmaLookup
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.separable_verbs import without_missing_particles


@pytest.mark.parametrize(
    "text, lemmas, expected",
    [
        ("Waarom kijken ze", "waarom om_kijken ze", "waarom kijken ze"),
        ("Ze kijken om", "ze om_kijken om", "ze om_kijken om"),
        ("omgekeken", "om_kijken", "om_kijken"),
        ("Omgekeken", "om_kijken", "om_kijken"),
        ("Op , kijk", "op , Op_kijken", "op , Op_kijken"),
        ("kijk", "kijken", "kijken"),
        ("_ kijk", "_ kijk_", "_ kijk_"),
    ],
)
def test_a_particle_is_in_the_word_or_another_one(text, lemmas, expected):
    words = text.split(" ")
    assert without_missing_particles(words, lemmas.split(" ")) == expected.split(" ")


def test_an_archive_without_known_words_keeps_its_lemmas(monkeypatch):
    monkeypatch.setattr(lemma_lookup, "simplemma_lookup", lambda: None)
    vocab = Vocabulary()
    vocab.add_token_to_namespace("nl\tVERB\tl|\tzien", EXCEPTIONS)
    columns = [{"upos": ["VERB", "ADP"], "lemmas": ["om_kijken", "ser"]}]
    lookup = LemmaLookup(vocab)
    lookup.apply(columns, [Sentence.from_words(["kijk", "a"])], ["nl"])
    assert lookup and columns[0]["lemmas"] == ["om_kijken", "ser"]


@pytest.mark.parametrize("lang, lemma", [("nl", "kijken"), ("de", "om_kijken")])
def test_it_is_asked_of_dutch(lang, lemma):
    word = Word((Analysis("VERB", "_", "l+o+m+_|"),), is_rare=False)
    vocab = vocabulary(Vocabulary(), Treebank(f"{lang}_one", frozenset(), {"kijken": word}))
    columns = [{"upos": ["PRON", "VERB"], "lemmas": ["ze", "om_kijken"]}]
    LemmaLookup(vocab).apply(columns, [Sentence.from_words(["Ze", "kijken"])], [lang])
    assert columns[0]["lemmas"][1] == lemma
