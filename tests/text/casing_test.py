"""Letter case by the rules of a language."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.casing import lower, spellings, upper, with_sigmas
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.text.lemma_rules import apply_rule, make_rule

TEXT = st.text("abIiİıΣσςΑάß_-'7 ", max_size=8)
LANGS = st.sampled_from(["", *LANGUAGES])


@pytest.mark.parametrize("lang", ["", "tr", "el"])
def test_lower_keeps_the_length_of_every_character(lang):
    # Scripts count characters of the lower-cased form.
    assert all(len(lower(chr(code), lang)) == 1 for code in range(sys.maxunicode + 1))


@pytest.mark.parametrize(
    "lang, capitals, small",
    [
        ("tr", "ISLIK", "ıslık"),
        ("az", "İLİN", "ilin"),
        ("de", "ISLIK", "islik"),
        ("el", "ΛΟΓΟΣ", "λογος"),
        ("", "İI", "ii"),
    ],
)
def test_capitals_in_small_letters(lang, capitals, small):
    assert lower(capitals, lang) == small
    if lang:
        assert lower(upper(small, lang), lang) == small
    if lang in ("tr", "az"):
        assert upper(small, lang) == capitals


@given(text=TEXT, lang=LANGS)
def test_without_i_and_sigma_all_languages_are_alike(text, lang):
    plain = text.translate(dict.fromkeys(map(ord, "IiİıΣσς")))
    assert lower(plain, lang) == lower(plain) and upper(plain, lang) == upper(plain)
    assert with_sigmas(plain, lang) == plain
    assert with_sigmas(with_sigmas(text, lang), lang) == with_sigmas(text, lang)


def test_sigma_at_the_end_of_words_alone():
    assert with_sigmas("λογοσ", "el") == "λογος" and with_sigmas("λογοσ", "") == "λογοσ"
    assert with_sigmas("λογοςσ-λογοσ", "grc") == "λογοσς-λογος"
    assert with_sigmas("σ", "el") == "σ" and with_sigmas("11ης_μερας", "el") == "11ης_μερας"


def test_rules_are_applied_with_the_casing_of_the_language():
    # Learned of a word without i.
    rule = make_rule("Kitap", "kitap")
    assert apply_rule("Islık", rule, "tr") == "ıslık" and apply_rule("Islık", rule) == "islık"
    assert apply_rule("İnek", rule, "tr") == apply_rule("İnek", rule) == "inek"
    # A rule that was learned without the language still gives what it was learned of.
    assert apply_rule("Islık", make_rule("Islık", "ıslık"), "tr") == "ıslık"
    assert apply_rule("ışık", make_rule("elma", "ELMA"), "tr") == "IŞIK"
    cut = make_rule("ΚΑΛΑ", "καλ")
    assert apply_rule("ΜΕΣΑ", cut, "el") == "μες" and apply_rule("ΜΕΣΑ", cut) == "μεσ"


@given(form=TEXT, lemma=TEXT, lang=LANGS)
def test_a_rule_in_any_language_is_one_of_its_letters(form, lemma, lang):
    rule = make_rule(form, lemma)
    told, blind = apply_rule(form, rule, lang), apply_rule(form, rule)
    assert blind == lemma
    alike = str.maketrans("ıİIς", "iiiσ")
    if "ß" not in form + lemma:
        assert told.translate(alike).lower() == blind.translate(alike).lower()


def test_spellings_are_those_within_a_sentence_first():
    assert spellings("Duerme", "es", "VERB") == ("duerme", "Duerme")
    assert spellings("duerme", "es", "VERB") == ("duerme",)
    assert spellings("HAUS", "de", "NOUN") == ("Haus", "HAUS")
    assert spellings("Haus", "de", "NOUN") == ("Haus",)
    assert spellings("Ging", "de", "VERB") == ("ging", "Ging")
    assert spellings("Rose", "en", "PROPN") == ("Rose",)
    assert spellings("Irmak", "tr", "NOUN") == ("ırmak", "Irmak")
