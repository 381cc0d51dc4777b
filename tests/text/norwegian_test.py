"""The written standard of Norwegian sentences."""

import pytest

from udify_allennlp.text.norwegian import _BOKMAL, _NYNORSK, treebank_of


@pytest.mark.parametrize(
    "text, named, expected",
    [
        ("Jeg vet ikke hva det er", "", "no_bokmaal"),
        ("Eg veit ikkje kva det er", "", "no_nynorsk"),
        ("EG VEIT IKKJE", "text", "no_nynorsk"),
        ("Tom er lege", "", "no_bokmaal"),  # of either
        ("Han sa : « Eg veit » , men jeg tror ikke det", "", "no_bokmaal"),
        ("Jeg vet ikke", "no_nynorsk", "no_nynorsk"),
        ("Jeg vet ikke", "no", "no_bokmaal"),
    ],
)
def test_a_sentence_is_in_the_standard_of_which_it_has_most_words(text, named, expected):
    assert treebank_of(text.split(" "), named) == expected


def test_no_word_is_of_both():
    assert not _BOKMAL & _NYNORSK and all(map(str.islower, _BOKMAL | _NYNORSK))
