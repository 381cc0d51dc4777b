"""Tokens with signs that stay whole."""

from functools import partial

import pytest

from tests.helpers.segmentation import cut, in_parts, texts_in_parts
from udify_allennlp.text.whole_tokens import whole_tokens

PIECES = ["Max'", "5%", "Lehrer:innen", "'til", "km²", " ", "5", "'", ".", "a", "-", "singin'"]


def found(text, lang):
    return [text[first:end] for first, end in whole_tokens(text, lang, 0, len(text))]


@pytest.mark.parametrize(
    "lang, text, tokens",
    [
        ("nl", "5% van 10,5%, x5% en 5 %; Max' hond 'en Max' hond", "5% 10,5% Max'"),
        ("de", "Lehrer:innen, Jede:r, Kolleg_innen und 5%", "Lehrer:innen Jede:r Kolleg_innen"),
        ("de", "ich hab 'nen Hund, ’ne Katze und 'ne'", "'nen ’ne"),
        ("de", "Freund*innen, Gast/in, an/in, er:sie, Fritz’ Haus", "Freund*innen Gast/in Fritz’"),
        ("en", "the ’80s 'til 'cause 'til' 5's singin' all", "’80s 'til 'cause singin'"),
        ("en", "rock 'n' roll, 'so begin' is, get 'em", "'n' 'em"),
        ("en", "5 km² 10m², m³ and 5 m²x", "km² m²"),
        ("es", "5 km²", ""),
        ("fr", "20 °C, 5°C et 5 °Ca", "°C °C"),
        (
            "fr",
            "lecteur·rice·s, ami(e)s, tou-te-s et ami.e.s.",
            "lecteur·rice·s ami(e)s tou-te-s ami.e.s",
        ),
        ("fr", "un p'tit café, des p’tites, qu'tit", "p'tit p’tites"),
        ("fr", "moi.e.t, dit-elle (oui), f(e), vas-y", ""),
        ("es", "tod@s l@s alumn@s. a@b.es, @s, todxs, texas", "tod@s l@s alumn@s todxs"),
        ("pt", "a tod@s @s alun@s; a@s.pt", "tod@s @s alun@s"),
    ],
)
def test_by_hand(lang, text, tokens):
    assert found(text, lang) == tokens.split()


@texts_in_parts(PIECES, ["de", "en", "nl"])
def test_parts_of_a_text_make_no_difference(text, cuts, lang):
    spans = partial(whole_tokens, text, lang)
    assert in_parts(spans, text, cuts) == [*spans(0, len(text))]


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("nl", "Dat is 5% van 10%.", ["Dat is 5% van 10% ."]),
        ("de", "Die Lehrer:innen sind da.", ["Die Lehrer:innen sind da ."]),
        ("en", "It was in the '60s.", ["It was in the '60s ."]),
        ("sv", "Max' hund är stor.", ["Max' hund är stor ."]),
        ("fr", "Les étudiant·e·s arrivent.", ["Les étudiant·e·s arrivent ."]),
        ("es", "Llegaron tod@s.", ["Llegaron tod@s ."]),
    ],
)
def test_shipped(lang, text, expected):
    assert cut(text, lang) == expected
