"""Corrections of lemmas that rules make of unknown forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.sound_lemmas import (
    abbreviates,
    is_acronym,
    sound_lemma,
    with_capitals,
    with_case,
)

TEXT = st.text(min_size=1, max_size=8)


@pytest.mark.parametrize(
    "form, lemma, expected",
    [
        # Abbreviations.
        ("kap.", "kapone", "kap."),
        ("dr.", "dr..", "dr."),
        ("Dr.", "dr.", "dr."),
        ("nem.", "nem", "nem"),
        # No letter in common.
        ("ἔπεμπε", "ὁρώ", "ἔπεμπε"),
        ("Min", "jag", "Min"),
        # Numbers.
        ("1998an", "199", "1998"),
        ("14.30-да", "14.3", "14.30"),
        ("9:00-де", "9:0", "9:00"),
        ("1.782", "1782", "1782"),
        ("2,500.31에", "2,500.3+1+에", "2,500.31+에"),
        ("3勝し", "勝する", "3勝し"),
        ("20개", "20+개", "20+개"),
        # Marks.
        ("1995-ben", "1995-", "1995"),
        ("Ahmet'miş", "Ahmet'", "Ahmet"),
        ("EU:ssa", "EU:", "EU"),
        ("budaya-budaya", "budaya-", "budaya"),
        ("l'", "l'", "l'"),
        ("-a", "-", "-a"),
        # Persian.
        ("نمی\u200cرویم", "\u200cرفت", "رفت"),
        ("خانه\u200cی", "خا", "خانه"),
        # Impossible strings.
        ("গেলাম", "গেলাা", "গেলাম"),
        ("எனக்கு", "எ்", "எனக்கு"),
        ("میرا", "मैرا", "میرا"),
        ("অ্যাপে", "অ্যাপ", "অ্যাপ"),
        ("میرا", "مरा", "میرا"),
        ("見つけ", "見付ける", "見付ける"),
        ("walking", "walk", "walk"),
    ],
)
def test_a_lemma_that_no_word_has_is_corrected(form, lemma, expected):
    assert sound_lemma(form, lemma) == expected


@given(form=TEXT, lemma=TEXT)
def test_there_is_always_a_lemma_and_the_form_is_one(form, lemma):
    assert sound_lemma(form, lemma)
    assert sound_lemma(form, form)


def test_known_lemmas_expand_abbreviations():
    assert sound_lemma("апр.", "апрель", {"апрель"}) == "апрель"
    assert sound_lemma("апр.", "апрель") == "апр."
    assert sound_lemma("д.", "далее", {"далее"}) == "д."
    assert abbreviates("Nov.", "novembre") and not abbreviates("Dr.", "médico")


@pytest.mark.parametrize(
    "form, lemma, upos, expected",
    [
        ("5°C", "5°c", "NOUN", "5°C"),
        ("G8-top", "g8-top", "NOUN", "G8-top"),
        (":D", ":d", "SYM", ":D"),
        ("XXI", "xxi", "ADJ", "XXI"),
        ("UU.", "uu.", "NOUN", "UU."),
        ("ONU", "onu", "PROPN", "ONU"),
        ("Dr.", "dr.", "NOUN", "dr."),
        ("DOGS", "dogs", "NOUN", "dogs"),
        ("BERLIN", "Berlin", "PROPN", "Berlin"),
        ("3Ds", "3d", "NOUN", "3d"),
    ],
)
def test_signs_and_acronyms_are_not_lower_cased(form, lemma, upos, expected):
    assert with_case(form, lemma, upos) == expected


def test_names_get_the_capitals_of_their_forms():
    for form in ("FPT", "J.M.", "GD-ĐT", "Trần Nam", "Pérez", "MH370"):
        assert with_capitals(form, form.lower(), "vi") == form
    assert with_capitals("AB'nin", "ab", "tr") == "AB"
    assert with_capitals("MADRID", "madrid", "es") == "Madrid"
    assert with_capitals("ANNAN", "anna", "fi") == "Anna"
    assert with_capitals("Londynie", "londyn", "pl") == "Londyn"
    assert with_capitals("Łodzi", "łódź", "pl") == "Łódź"
    assert is_acronym("ONU") and not is_acronym("Onu") and not is_acronym("MADRID")
