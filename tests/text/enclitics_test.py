"""Verbs with pronouns at their ends, which are multiword tokens or, in French, several tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import in_parts
from udify_allennlp.text.enclitics import enclitic_spans, enclitics, token_ends

LANGS = ["ca", "de", "es", "fr", "gl", "it", "pt", "en"]
PIECES = ["dá", "dando", "dándo", "ver", "lo", "se", "Se", "-", " ", ".", "/", "í", "te", "a", "1"]
PIECES += ["a", "-t-il", "-le", "-moi", "'", "ist's"]


@pytest.mark.parametrize(
    "lang, form, words",
    [
        ("es", "dándoselo", "dando se lo"),
        ("es", "Dámelo", "da me lo"),
        ("es", "decírselo", "decir se lo"),
        ("es", "reírselo", "reír se lo"),
        ("es", "CUÉNTAME", "cuenta me"),
        ("es", "ríete", "ríe te"),
        ("es", "siéntense", "sienten se"),
        ("es", "rápidamente", ""),
        ("es", "intérprete", ""),
        ("es", "caramelo", ""),
        ("es", "verlo", ""),  # no verb is known
        ("it", "guardandolo", "guardando lo"),
        ("it", "andarsene", "andar se ne"),
        ("it", "Amandola", ""),
        ("it", "girandola", ""),
        ("pt", "encontra-se", "encontra se"),
        ("pt", "viu-o", "viu o"),
        ("pt", "dizê-lo", "dizer lo"),
        ("pt", "Ajudá-LAS", "ajudar las"),
        ("pt", "dar-lhe", "dar lhe"),
        ("pt", "vende-lo", ""),
        ("pt", "2-a", ""),
        ("ca", "donar-se-les", "donar se les"),
        ("gl", "dándolle", "dando lle"),
        ("gl", "constituíndose", "constituíndo se"),
        ("fr", "donne-le", ""),
    ],
)
def test_by_hand(lang, form, words):
    assert enclitics(form, lang) == tuple(words.split())


def test_known_verbs():
    assert enclitics("decirte", "es") == ()
    assert enclitics("decirte", "es", {"decir"}) == ("decir", "te")
    assert enclitics("parte", "es", {"decir"}) == ()


def test_spans():
    text = "Viu-o; encontra-se, 2-a www.se/porta-se x-se-"
    assert [text[slice(*span)] for span in enclitic_spans(text, "pt", 0, len(text))] == [
        "Viu-o",
        "encontra-se",
        "porta-se",
    ]


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


def tokens_of(text, lang):
    found = []
    for first, ends in token_ends(text, lang, 0, len(text)):
        found += [text[start:end] for start, end in zip([first, *ends], ends)]
    return found


@given(
    parts=st.lists(st.sampled_from(PIECES), max_size=12),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    lang=st.sampled_from(LANGS),
)
def test_parts_of_a_text_make_no_difference(parts, cuts, lang):
    text = "".join(parts)

    def spans(start, stop):
        return [*enclitic_spans(text, lang, start, stop, {"ver"})]

    def ends(start, stop):
        return [*token_ends(text, lang, start, stop)]

    found = in_parts(spans, text, cuts)
    assert found == spans(0, len(text))
    assert all(enclitics(text[first:end], lang, {"ver"}) for first, end in found)
    several = in_parts(ends, text, cuts)
    assert several == ends(0, len(text))
    assert all(
        lang in ("de", "fr") and [first, *places] == sorted({first, *places})
        for first, places in several
    )
