"""Gender-inclusive forms."""

import pytest

from udify_allennlp.text.gender_forms import has_gender_forms, plain_form, with_sign


@pytest.mark.parametrize(
    "lang, form, plain",
    [
        ("de", "Lehrer:innen", "Lehrerinnen"),
        ("de", "Jede*r", "Jeder"),
        ("de", "Lehrer/-innen", "Lehrerinnen"),
        ("de", "er:sie", "er:sie"),
        ("es", "tod@s", "todos"),
        ("es", "Lxs", "Los"),
        ("es", "relax", "relax"),
        ("fr", "étudiant·e·s", "étudiants"),
        ("fr", "heureux·ses", "heureux"),
        ("fr", "tou.te.s", "tous"),
        ("fr", "traité(e)", "traité"),
        ("fr", "prié(e)s", "priés"),
        ("fr", "vas-tu", "vas-tu"),
        ("pt", "@s", "os"),
        ("gl", "amig@", "amigo"),
        ("ca", "col·legi", "col·legi"),
        ("en", "tod@s", "tod@s"),
    ],
)
def test_by_hand(lang, form, plain):
    assert plain_form(form, lang) == plain
    assert has_gender_forms(f"1\t{form}\t_", lang) == (form != plain)


@pytest.mark.parametrize(
    "lemma, form, written",
    [
        ("Lehrerin", "Lehrer:innen", "Lehrer:in"),
        ("Lehrerin", "Lehrer/-innen", "Lehrer/-in"),
        ("ein", "Ein:e", "ein"),
        ("Arzt", "Ärzt:in", "Arzt"),
        ("étudiant", "étudiant·e·s", "étudiant"),
        ("todo", "tod@s", "todo"),
    ],
)
def test_lemmas_have_the_german_sign(lemma, form, written):
    assert with_sign(lemma, form) == written
