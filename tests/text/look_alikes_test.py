"""Words in two alphabets."""

import pytest
from allennlp.data import Vocabulary

from tests.helpers.known import vocabulary
from udify_allennlp.data.columns import LANG
from udify_allennlp.data.known_words import Analysis, Treebank, Word
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.seen_forms import SeenForms, as_written
from udify_allennlp.text.look_alikes import Alphabet, alphabet, are_mixed
from udify_allennlp.text.sentence import Sentence

BELARUSIAN = Alphabet(frozenset("абвгдежзійклмнопрстуўфхцчшыьэюяІПР"), is_cyrillic=True)
ABAZA = Alphabet(frozenset("абвгдежзийклмнопрстуфхцчшыьэюяI"), is_cyrillic=True)
ROMANIAN = Alphabet(frozenset("abcdefghilmnoprstuvzE"), is_cyrillic=False)


def test_words_of_two_alphabets_are_found():
    assert are_mixed("у сiтуацыях") and are_mixed("dе")
    assert not are_mixed("у situation сам") and not are_mixed("ситуация") and not are_mixed("a1б")


@pytest.mark.parametrize(
    "language, form, expected",
    [
        (BELARUSIAN, "сiтуацыях", "сітуацыях"),
        (BELARUSIAN, "i", "і"),
        (BELARUSIAN, "Рэспублiкi", "Рэспублікі"),
        (BELARUSIAN, "web-сайт", "web-сайт"),  # with letters that look like none of Cyrillic
        (BELARUSIAN, "hэта", "hэта"),  # the language lacks the Cyrillic letter
        (BELARUSIAN, "гэта", "гэта"),
        (ABAZA, "лхIвад", "лхIвад"),
        (ROMANIAN, "dе", "de"),
        (ROMANIAN, "ж", "ж"),
    ],
)
def test_a_word_gets_the_alphabet_of_its_language(language, form, expected):
    assert language.respelled(form) == expected


def test_the_alphabet_is_that_of_frequent_letters():
    words = ["мама", "мы"] * 1000 + ["web", "мiр"]
    found = alphabet(words)
    assert found.letters == {*"мамы"} and found.is_cyrillic
    assert not alphabet(["de", "la", "ж"]).is_cyrillic


def test_models_see_one_alphabet_and_forms_stay_as_written():
    noun = Word((Analysis("NOUN", "_", "l|"),), False)
    known = dict.fromkeys(["мір", "сітуацыя", "i"], noun)
    vocab = vocabulary(Vocabulary(), Treebank("be_one", frozenset(), known))
    seen_forms = SeenForms(vocab, Schema())
    sentence = Sentence.from_words(["сiтуацыя", "i", "мiр"])
    (seen,) = seen_forms.sentences([sentence], {LANG: "be"})
    # What training has in the spelling of the text is seen so, if it has no other.
    assert [*seen.forms] == ["сітуацыя", "i", "мір"]
    columns = [{"lemmas": ["сітуацыя", "i", "мір"]}]
    as_written(columns, [sentence], [seen])
    assert columns[0]["lemmas"] == ["сітуацыя", "i", "мір"]
    assert seen_forms.sentences([sentence], {LANG: "ru"}) == [sentence]
