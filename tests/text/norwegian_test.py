"""The written standard of Norwegian sentences."""

import pytest

from tests.helpers import ENCODER
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.norwegian import _BOKMAL, _NYNORSK, treebank_of
from udify_allennlp.text.sentence import Sentence


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


def test_it_is_the_treebank_of_sentences_without_one():
    reader = UniversalDependenciesReader(ENCODER, treebanks=True, langs=True)
    schema = reader.schema.unannotated()
    sentences = [Sentence.from_words(text.split(" ")) for text in ("Jeg vet", "Eg veit", "I know")]

    def treebanks(**origins):
        table = reader.table_of(sentences, schema, **origins)
        return [table.values(row, "treebank")[0] for row in range(3)]

    assert treebanks(lang=["no", "no", "en"]) == ["no_bokmaal", "no_nynorsk", "<words>"]
    assert treebanks(lang=["no"] * 3, treebank=["no_nynorsk", "", ""]) == [
        "no_nynorsk",
        "no_nynorsk",
        "no_bokmaal",
    ]
    reader = UniversalDependenciesReader(ENCODER, langs=True)
    table = reader.table_of(sentences, reader.schema.unannotated(), lang=["no"] * 3)
    assert "treebank" not in table.columns
