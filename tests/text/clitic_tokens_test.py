"""Words with clitics that are several tokens."""

import pytest

from tests.helpers.segmentation import cut, in_parts, texts_in_parts
from udify_allennlp.text.clitic_tokens import token_ends

LANGS = ["ar", "ca", "de", "fr", "ro", "en"]
PIECES = ["dona", "te", "'ls", "-", " ", ".", "/", "a", "-t-il", "-le", "-moi", "'", "ist's", "1"]
PIECES += ["و", "ل", "أن", "ه", "كم", "سأ", "ذهب", "care-a"]


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("Donne-le-moi.", ["Donne", "-le", "-moi"]),
        ("L'a-t-il vu ?", ["a", "-t-il"]),
        ("Va-t'en !", ["Va", "-t'", "en"]),
        ("Allez-vous-en et prends-en.", ["Allez", "-vous", "-en", "prends", "-en"]),
        ("Le rendez-vous chez-moi de celui-ci à Fontenay-le-Comte, Y a t-il 3-le", []),
    ],
)
def test_french_tokens(text, tokens):
    assert tokens_of(text, "fr") == tokens


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("Wie geht's dir, wenn's regnet?", ["geht", "'s", "wenn", "'s"]),
        ("IST'S so?", ["IST", "'S"]),
        ("Zettel's Traum, in's Haus, Moist's ist's-1 1ist's", []),
    ],
)
def test_german_tokens(text, tokens):
    assert tokens_of(text, "de") == tokens


def test_catalan_tokens():
    text = "Ella se'n va, no te'ls dona-me'n, l'n i SE'NS"
    assert tokens_of(text, "ca") == ["se", "'n", "te", "'ls", "SE", "'NS"]


def test_romanian_tokens():
    text = "Dă-le-o, spune-mi-l! Omul care-a venit, s-a, de-a-l"
    assert tokens_of(text, "ro") == ["Dă", "-le", "-o", "spune", "-mi", "-l", "care", "-a"]


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("معك ولها لأنني", "مع ك و ل ها ل أن ني"),
        ("منه ومنا، إليكم عندي", "من ه إلي كم عند ي"),
        ("سنذهب وسأكتب، سأخبرك", "س نذهب و س أكتب س أخبر ك"),
        ("كتابك وأحبك، من فضلك", "كتاب ك و أحب ك فضل ك"),
        ("ولي العهد، بي بي سي، لكن كلي سأل سيارة", ""),
    ],
)
def test_arabic_tokens(text, tokens):
    assert tokens_of(text, "ar") == tokens.split()


def test_arabic_words_of_the_second_person_are_tokens():
    assert cut("هل لديك كتابي؟", "ar") == ["هل لدي ك كتابي ؟"]


def tokens_of(text, lang):
    found = []
    for first, ends in token_ends(text, lang, 0, len(text)):
        found += [text[start:end] for start, end in zip([first, *ends], ends)]
    return found


@texts_in_parts(PIECES, LANGS)
def test_parts_of_a_text_make_no_difference(text, cuts, lang):

    def ends(start, stop):
        return [*token_ends(text, lang, start, stop)]

    found = in_parts(ends, text, cuts)
    assert found == ends(0, len(text))
    assert all([first, *places] == sorted({first, *places}) for first, places in found)
    assert lang != "en" or not found
