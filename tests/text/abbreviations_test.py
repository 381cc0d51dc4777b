"""Sentences continue after the periods of abbreviations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.abbreviation_lists import BEFORE_NAMES, INSIDE
from udify_allennlp.text.abbreviations import LETTERS, abbreviations, goes_on
from udify_allennlp.text.tokenizers import make_tokenizer


@pytest.mark.parametrize("lang", [None, "xx", "ja", *BEFORE_NAMES])
def test_no_language_ends_a_sentence_behind_a_title(lang):
    listed = BEFORE_NAMES.get(lang, "").split()
    for title in [
        "Prof",
        "Dr",
        "Mrs",
        *listed,
        *[word.title() for word in listed if word.islower()],
    ]:
        text = f"{title}. Meyer"
        assert goes_on(lang)(text, len(title) + 1), title


@given(text=st.text("aB1. \n", max_size=12), end=st.integers(0, 12))
def test_it_goes_on_only_where_something_follows_on_the_line(text, end):
    end = min(end, len(text))
    if goes_on("en")(text, end):
        assert text[end - 1] == "." and text[end].isspace()
        assert not text[end:].split("\n")[0].isspace()


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("en", "food, etc.| The next", False),
        ("en", "food, etc.| can add", True),
        ("en", "in Jan.| 2020", True),
        ("en", "the Blvd.| Cleveland", True),
        ("en", "the dog.| sleeps", False),
        ("en", "at tony's.| someplace", False),
        ("en", "me.| The", False),
        ("en", "Mrs.|\nThe", False),
        ("de", "am 3.| oktober", True),
        ("de", "im Jahr 1990.| Dann", False),
        ("en", "in 1990.| then", False),
        ("sv", "det.| Sedan", False),
        ("hy", "ասաց.| Նա", False),
        ("ru", "на ул.| Ленина", True),
        ("sk", "do tzv.| Karlovackého", True),
        ("bg", "на ул.| „Шипка“", True),
        ("ro", "alin.| (2)", True),
        ("pl", "liceum im.| Jana", True),
        ("pl", "Widzę im.| Potem", False),
        ("de", "in der Hauptstr.| 5", True),
        ("de", "50 Mio.| Einwohner", True),
        ("de", "50 Mio.| Danach", False),
        ("de", "am 5.| Dez. in", True),
        ("de", "m.| E. ist", True),
        ("de", "Dr. med.| Müller", True),
        ("de", "der ehem.| Leiter", True),
        ("de", "Dr. rer.| nat. Müller", True),
        ("de", "Dipl.-Ing.| Hans", True),
        ("de", "ist Dipl.-Ing.| Er", False),
        ("en", "See No.| 10", True),
        ("en", "said No.| Then", False),
        ("en", "20° C.| Then", False),
        ("de", "20 ° C.| Berlin", False),
        ("ru", "в г.| Москве", True),
        ("uk", "у с.| Ліски", True),
        ("mk", "со бр.| Пет", True),
        ("mk", "во 2019 г.| Скопје", False),
        ("cs", "přišla MUDr.| Nová", True),
        ("pl", "przyjmuje lek.| med. Kos", True),
        ("pl", "wziąłem lek.| Ania", False),
        ("ka", "აკად.| შოთა", True),
        ("lt", "5 mln.| Lietuvos", True),
        ("sl", "tehta 10 g.| Nato", False),
        ("ru", "в 2019 г.| Москва", False),
        ("fr", "50 av.| J.-C. à", True),
        ("fr", "J.-M.| Le Pen", True),
        ("cs", "pozdravem K.| Nováková", True),
        ("en", "J.K.| Rowling", True),
        ("en", "in the U.S.| Koerner", False),
        ("en", "plan B.| Then", False),
        ("gl", "no anexo I.| Dunha", False),
        ("fr", "de 2 à 8 °C.| Les", False),
        ("en", "in the sun.| and", False),
        ("en", "on Sun.| and", True),
        ("en", "it is ok.| bye", False),
        ("en", "went home.| then", False),
        ("en", "on Everest MT.| Smith", False),
        ("hi", "डॉ.| शर्मा", True),
        ("ta", "எம்.ஜி.ஆர்.| அவர்", True),
        ("vi", "PGS.TS.| Nguyễn", True),
        ("cy", "am 9 y.b.| heddiw", True),
        ("hu", "A XIX.| században", True),
        ("hu", "II.| János Pál", True),
        ("eu", "X.| Kongresuaren", True),
        ("de", "Im XIX.| Jahrhundert", True),
        ("de", "Er hieß Ludwig XIV.| Dann", False),
        ("en", "Henry VIII.| reigned", False),
        ("it", "l'avv.| Rossi", True),
        ("it", "dell’on.| Verdi", True),
        ("fr", "L'art.| 5", True),
        ("ca", "l'art.| 5", True),
        ("ca", "l'art.| El museu", False),
        ("fr", "l'île.| Rossi", False),
    ],
)
def test_by_hand(lang, text, expected):
    before, behind = text.split("|")
    assert goes_on(lang)(before + behind, len(before)) is expected


def test_rules_ask_it():
    """sentencex alone ends sentences behind both."""
    sentences = list(make_tokenizer("rules", "fr")("On a vu Mme. Roy et MM. Farinet. Il part."))
    assert [len(tokens) for tokens in sentences] == [9, 3]


@pytest.mark.parametrize("lang", INSIDE)
def test_other_abbreviations_go_on_before_numbers(lang):
    for word in INSIDE[lang].split():
        assert goes_on(lang)(f"A {word}. 5", len(word) + 3), word


def test_plain_words_are_no_abbreviations():
    assert not abbreviations("hu")("nem")
    sentences = list(make_tokenizer("rules", "hu")("Sajnos nem. Dolgoznom kell. Kb. 5 perc."))
    assert [len(tokens) for tokens in sentences] == [3, 3, 4]


@pytest.mark.parametrize(
    "text", ["U.S.", "y.b.", "J.-M.", "EE.UU.", "बी.जे.पी.", "எம்.ஜி.ஆர்.", "sig.ra", "Dipl.-Ing."]
)
def test_letters_with_periods(text):
    assert [match[0] for match in LETTERS.finditer(f"Ab {text} ab. www.a.b.de")] == [text]
