"""The written standard of Norwegian sentences."""

import pytest

from udify_allennlp.text.norwegian import _BOKMAL, _NYNORSK, standard_of, treebank_of


@pytest.mark.parametrize(
    "text, named, lang, expected",
    [
        ("Jeg vet ikke hva det er", "", "", "no_bokmaal"),
        ("Eg veit ikkje kva det er", "", "", "no_nynorsk"),
        ("EG VEIT IKKJE", "text", "", "no_nynorsk"),
        ("Tom er lege", "", "", "no_bokmaal"),  # of either
        ("Han sa : « Eg veit » , men jeg tror ikke det", "", "", "no_bokmaal"),
        ("Jeg vet ikke", "no_nynorsk", "", "no_nynorsk"),
        ("Jeg vet ikke", "no", "", "no_bokmaal"),
        ("Jeg vet ikke", "nn", "", "no_nynorsk"),  # nn.conllu
        ("Tom er lege", "", "nn", "no_nynorsk"),  # lang = nn
        ("Tom er lege", "", "no", "no_bokmaal"),
    ],
)
def test_a_sentence_is_in_the_standard_of_which_it_has_most_words(text, named, lang, expected):
    assert treebank_of(text.split(" "), named, lang) == expected


def test_a_text_with_as_many_words_of_either_has_no_standard():
    assert standard_of(["Tom", "er", "lege"]) == standard_of(["jeg", "eg"]) == ""
    assert standard_of(["Jeg"]) == "nb" and standard_of(["EG"]) == "nn"


def test_no_word_is_of_both():
    assert not _BOKMAL & _NYNORSK and all(map(str.islower, _BOKMAL | _NYNORSK))
