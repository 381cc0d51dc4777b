"""Ends of sentences after abbreviations that close a list."""

import pytest

from udify_allennlp.text.abbreviations import LETTERS, goes_on
from udify_allennlp.text.closing_abbreviations import closing_ends


@pytest.mark.parametrize(
    "lang, text",
    [
        (None, "Apples, pears, etc.| The shop is open."),
        ("ru", "Яблоки, груши и т.д.| Магазин открыт."),
        ("ru", "Яблоки, груши и т. д.| Магазин открыт."),
        ("uk", "Яблука, груші і т.п.| Магазин відкритий."),
        ("mk", "Јаболка, круши итн.| Продавницата е отворена."),
        ("tr", "Elma, armut vb.| Dükkan açık."),
        ("lt", "Obuolius, kriaušes ir t. t.| Parduotuvė atidaryta."),
        ("de", "Äpfel, Birnen usw.| Dann ging er."),
        ("de", "Das war 300 v. Chr.| Danach kam der Krieg."),
        ("it", "È nato nel 300 a.C.| Poi morì."),
    ],
)
def test_a_capital_after_them_begins_a_sentence(lang, text):
    before, _, behind = text.partition("|")
    whole = before + behind
    assert list(closing_ends(whole, lang)) == [len(before)]
    assert not goes_on(lang)(whole, len(before))
    small = f"{before} {behind[1:].lower()}"
    assert not list(closing_ends(small, lang)) and goes_on("hu")("Almát stb. árul.", 10)


@pytest.mark.parametrize(
    "lang, text",
    [
        ("de", "Äpfel, Birnen usw. Obst mag er."),  # nouns have capitals
        ("it", "Nel 300 a.C. Roma vinse."),  # and so have names
        ("fr", "Poires, etc. J. Dupont."),
        ("en", "The fetc. The"),
        ("la", "Poma etc. Pira"),
    ],
)
def test_others_are_left_to_the_network(lang, text):
    assert not list(closing_ends(text, lang))


def test_parts_of_a_text_have_the_ends_of_the_whole():
    text = "Apples etc. They are. Pears etc. They, too."
    ends = list(closing_ends(text, "en"))
    assert ends == [11, 32]
    for size in (1, 5, 16):
        parts = (closing_ends(text, "en", a, a + size) for a in range(0, len(text), size))
        assert [end for part in parts for end in part] == ends


@pytest.mark.parametrize("form", ["Ph.D.", "M.Sc.", "LL.B.", "U.S."])
def test_degrees_are_letters(form):
    assert LETTERS.search(f"a {form} Then")[0] == form
