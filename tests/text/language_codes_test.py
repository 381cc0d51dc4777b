"""Languages by code and by name."""

import re

import pytest

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.languages import (
    LANGUAGES,
    SHORT_CODES,
    language_code,
    language_name,
)


def test_codes_and_names_are_one_to_one():
    assert len(set(map(str.lower, LANGUAGES.values()))) == len(LANGUAGES) > 250
    for code, name in LANGUAGES.items():
        assert re.fullmatch("[a-z]{2,3}", code)
        assert language_code(code) == language_code(name) == language_code(name.upper()) == code
        assert language_name(code) == name
    assert list(LANGUAGES) == sorted(LANGUAGES)


@pytest.mark.parametrize(
    "given, code",
    [
        *[("fr-CA", "fr"), ("pt_BR", "pt"), ("en_ewt", "en"), (" French ", "fr"), ("GRC", "grc")],
        *[("Ancient_Greek", "grc"), ("Serbo-Croatian", "sh"), ("fra", "fr"), ("fre", "fr")],
        *[("FAO", "fo"), ("arb", "ar"), ("ara", "ar"), ("ara_x", "ar"), ("sme", "sme")],
    ],
)
def test_as_people_write_them(given, code):
    assert language_code(given) == code


def test_a_language_of_the_model_is_known():
    assert language_code("zxx", more=["zxx"]) == language_code("zxx_y", more=["zxx"]) == "zxx"
    assert language_code("fra", more=["fra"]) == "fra"
    # `old` is Mochica, of which no treebank is.
    assert language_code("Old_French", more=["old"]) == "fro"
    assert language_code("old", more=["old"]) == "old"


def test_longer_codes_are_of_languages_that_can_be_named():
    assert set(SHORT_CODES.values()) <= set(LANGUAGES) and not SHORT_CODES.keys() & LANGUAGES
    assert {code for code in LANGUAGES if len(code) == 2} - {*SHORT_CODES.values()} == {"se"}


@pytest.mark.parametrize(
    "given, what", [("Germn", "mean de .German."), ("zzz", "nknown language 'zzz'"), ("", "''")]
)
def test_what_is_no_language(given, what):
    with pytest.raises(InputError, match=what):
        language_code(given)
