"""Everyday sentences with contractions, by the shipped segmenter; languages told and guessed."""

import pytest

from tests.conftest import FIXTURES
from tests.helpers.segmentation import cut
from udify_allennlp.text.language_guess import PACKAGE
from udify_allennlp.text.line_reader import read_rows

ROWS = read_rows(FIXTURES / "first_sentences.tsv")
WRONG = {
    "Hava güzeldi.",
    "Kitap masadaydı.",
    "הספר על השולחן.",
    "הילד הולך לבית הספר.",
}
GUESSED_WRONG = {*WRONG, "Anem al mercat.", "Řekl, aby počkala."}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_words_of_a_told_language(row):
    assert (cut(row["text"], row["lang"]) == [row["words"]]) != (row["text"] in WRONG)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_words_of_a_guessed_language(row):
    pytest.importorskip(PACKAGE)
    assert (cut(row["text"], None) == [row["words"]]) != (row["text"] in GUESSED_WRONG)
