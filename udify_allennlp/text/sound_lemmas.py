"""
Lemmas that no word has, where a rule for other words is applied to a form that training lacks: an
abbreviation, a number, or a word with a suffix behind a mark.
"""

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache

from udify_allennlp.text.casing import lower, upper
from udify_allennlp.text.scripts import scripts_of

MARKS = "-'’:"
"""Marks before a suffix, as in Hungarian `1995-ben`, Turkish `Ahmet'miş` and Finnish `EU:ssa`."""
ACRONYM = 4
"""Maximum number of letters of an acronym; a longer name in capitals is hardly one."""
_JOINER = "\u200c"  # between Persian stems and suffixes
_EZAFE = "ه\u200cی"  # its vowel after ه, which belongs to no lemma
_NUMBER = re.compile(r"\d+(?:[.,:/٫٬]\d+)*")
_NUMBER_CUT = re.compile(r"(?<=[\d.,:])\+(?=\d)")  # between morphemes, as in Korean lemmas
_SIGNS = re.compile(r"[\d°º]")
_ROMAN = re.compile("[IVXLC]{2,}")
_BREAKS = re.compile(r"[^\w]|[\d_]")
_INDIC = {chr(code): unicodedata.name(chr(code), "") for code in range(0x900, 0xE00)}


def _named(pattern: str) -> str:
    return "".join(sign for sign, name in _INDIC.items() if re.search(pattern, name))


_VOWELS = _named(r"\bLETTER (VOCALIC \w+|[AEIOU]|AA|II|UU|EE|OO|AI|AU)$")
_SIGNS_OF_VOWELS = _named(r"VOWEL SIGN|SIGN VIRAMA")
_IMPOSSIBLE = re.compile(f"[{_VOWELS}{_SIGNS_OF_VOWELS}][{_SIGNS_OF_VOWELS}]")
"""A vowel sign, or the sign of no vowel, that follows a vowel instead of a consonant."""


def sound_lemma(form: str, lemma: str, known: Container[str] = ()) -> str:
    """
    Returns a lemma for an unknown form, corrected. It is

    - the form, if that is an abbreviation with a period, unless the lemma is one of the `known`
      lemmas and begins like it: rules give Danish `kap.` the lemma `kapone`;
    - the form, if they have no letter in common: such a lemma is that of other forms;
    - the whole number at its beginning, if the form begins with one: `1998an` had `199`;
    - without a mark at its end if the form does not end in one: `1995-ben` had `1995-`;
    - without a joiner at its borders, in Persian;
    - the form, if it has letters of another script, or vowel signs without consonants.
    """
    if form.endswith(".") and len(form) > 1:
        is_form = lower(lemma) in (lower(form), lower(form.rstrip(".")))
        return lemma if is_form or (lemma in known and abbreviates(form, lemma)) else form
    if {*lower(form)}.isdisjoint(lower(lemma)):
        return form
    number = _NUMBER.match(form)
    if number:
        lemma = _NUMBER_CUT.sub("", lemma)
        if not _digits(lemma).startswith(_digits(number[0])):
            return form if any(map(str.isalpha, lemma)) else number[0]
    if form.endswith(_EZAFE):
        return form[: 1 - len(_EZAFE)]
    if lemma[-1:] in MARKS and form[-1] not in MARKS:
        lemma = lemma.rstrip(MARKS)
    lemma = lemma.strip(_JOINER)
    return lemma if lemma and _is_possible(form, lemma) else form


def abbreviates(form: str, lemma: str) -> bool:
    """Returns whether a form with a period has two or more letters, with which the lemma begins."""
    stem = lower(form.rstrip("."))
    return len(stem) > 1 and lower(lemma).startswith(stem)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def with_case(form: str, lemma: str, upos: str) -> str:
    """
    Returns the lemma of an unknown form that differs from it in case only, in a language whose
    names keep capitals: that of signs, acronyms and Roman numerals is the form.
    """
    if lemma == form or lower(lemma) != lower(form):
        return lemma
    is_sign = upos == "SYM" or _SIGNS.search(form) or _ROMAN.fullmatch(form)
    is_initials = form.endswith(".") and form[1:] != lower(form[1:])
    return form if is_sign or is_initials or (upos == "PROPN" and is_acronym(form)) else lemma


def with_capitals(form: str, lemma: str, lang: str) -> str:
    """
    Returns a name's lemma with the capitals of its form: of the first letter only, if the form is
    in capitals and no acronym.
    """
    stem, suffix = form[: len(lemma)], form[len(lemma) :]
    has_its_case = not stem.isupper() or is_acronym(stem) and not suffix[:1].isupper()
    if lower(stem, lang) == lemma and has_its_case:
        return stem
    return upper(lemma[0], lang) + lemma[1:]


def is_acronym(form: str) -> bool:
    """Returns whether a name in capitals is hardly a word: `ONU`, `J.M.`, `GD-ĐT`, `MH370`."""
    return form.isupper() and all(len(part) <= ACRONYM for part in _BREAKS.split(form))


def _script_of_sign(character: str) -> str:
    """Returns the script of a vowel sign, such as a Devanagari one; `""` for other characters."""
    return _INDIC.get(character, "").split(" ")[0] if character in _SIGNS_OF_VOWELS else ""


@lru_cache(maxsize=2**14)
def _is_possible(form: str, lemma: str) -> bool:
    added = "".join({*lemma} - {*form})
    scripts = scripts_of(form)
    if scripts and not scripts_of(added) <= scripts:
        return False
    if any(_script_of_sign(sign) not in scripts | {""} for sign in added):
        return False
    return not _IMPOSSIBLE.search(lemma) or bool(_IMPOSSIBLE.search(form))
