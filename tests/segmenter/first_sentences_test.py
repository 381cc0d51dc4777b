"""
Everyday sentences with contractions and enclitic pronouns, by the shipped segmenter; languages told
and guessed.
"""

import pytest

from tests.conftest import FIXTURES
from tests.helpers.segmentation import cut
from udify_allennlp.text.language_guess import PACKAGE
from udify_allennlp.text.line_reader import read_rows

ROWS = read_rows(FIXTURES / "first_sentences.tsv")
WRONG = {
    "Hava güzeldi.",
    "Kitap masadaydı.",
}
GUESSED_WRONG = {*WRONG, "Anem al mercat.", "Řekl, aby počkala."}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_words_of_a_told_language(row):
    assert (cut(row["text"], row["lang"]) == [row["words"]]) != (row["text"] in WRONG)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_words_of_a_guessed_language(row):
    pytest.importorskip(PACKAGE)
    assert (cut(row["text"], None) == [row["words"]]) != (row["text"] in GUESSED_WRONG)


@pytest.mark.parametrize(
    "lang, text, words",
    [
        ("ca", "Vull fer-ho avui.", "Vull +fer+ho avui ."),
        ("ca", "Ajuda’m avui.", "+Ajuda+me avui ."),
        ("cop", "ⲉⲧⲃⲉⲧⲁⲛⲁⲅⲕⲏ ⲉⲁϥϣⲱⲡⲉ", "+ⲉⲧⲃⲉ+ⲧ+ⲁⲛⲁⲅⲕⲏ +ⲉ+ⲁ+ϥ+ϣⲱⲡⲉ"),
        ("de", "Wie geht's, wenn’s regnet?", "Wie geht 's , wenn ’s regnet ?"),
        ("de", "Sie wartet vorm Haus.", "Sie wartet +vor+dem Haus ."),
        ("en", "Its roof leaks.", "Its roof leaks ."),
        ("en", "I dont know, thats all.", "I +do+nt know , +that+s all ."),
        ("es", "Dámelo, por favor.", "+Da+me+lo , por favor ."),
        ("es", "No sé qué decirte.", "No sé qué +decir+te ."),
        ("es", "Quiero comprarte la mayor parte.", "Quiero +comprar+te la mayor parte ."),
        ("fr", "Donne-le-moi.", "Donne -le -moi ."),
        ("gl", "Está dándolle a man.", "Está +dando+lle a man ."),
        ("it", "Sta guardandolo.", "Sta +guardando+lo ."),
        ("it", "Vorrei comprarti un regalo.", "Vorrei +comprar+ti un regalo ."),
        ("it", "Aiutami, dammelo!", "+Aiuta+mi , +da'+me+lo !"),
        ("pt", "Vou dar-lhe o livro.", "Vou +dar+lhe o livro ."),
        ("pt", "Encontra-se fechado.", "+Encontra+se fechado ."),
        ("pt", "Viu-o ontem.", "+Viu+o ontem ."),
    ],
)
def test_certain_words(lang, text, words):
    assert cut(text, lang) == [words]
    assert " ".join(cut(f"{text} " * 500, lang)) == " ".join([words] * 500)
