"""Letter case by the rules of a language: the dotted and dotless i of Turkic, the final sigma."""

import re

_DOTLESS = frozenset(("az", "crh", "tr"))
"""Languages in which I is the capital of ı, and İ that of i."""
_GREEK = frozenset(("cpg", "el", "grc"))
_CAPITAL_NOUNS = frozenset(("bar", "de", "gsw", "lb", "nds"))
"""Languages that write all nouns with a capital, so that case tells words apart."""
_TO_LOWER = str.maketrans("Iİ", "ıi")
_TO_UPPER = str.maketrans("ıi", "Iİ")
_LAST_SIGMA = re.compile(r"(?<=[^\W\d_])σ(?![^\W\d_])")
_INNER_SIGMA = re.compile(r"ς(?=[^\W\d_])")


def lower(text: str, lang: str = "") -> str:
    """
    Small letters, as many as there were: İ is the only character whose `lower()` is longer. `lang`
    is the code of the language, empty where it is not known.
    """
    if lang in _DOTLESS:
        return text.translate(_TO_LOWER).lower()
    return text.replace("İ", "i").lower()


def upper(text: str, lang: str = "") -> str:
    """Capital letters."""
    return (text.translate(_TO_UPPER) if lang in _DOTLESS else text).upper()


def with_sigmas(text: str, lang: str = "") -> str:
    """
    Lower-cases Greek, with ς at the end of words and σ elsewhere; a word of one letter stays as it
    is.
    """
    if lang not in _GREEK:
        return text
    return _LAST_SIGMA.sub("ς", _INNER_SIGMA.sub("σ", text))


def spellings(form: str, lang: str, upos: str) -> tuple[str, ...]:
    """
    The spellings under which a lexicon may have a word: first as the language writes it within a
    sentence, for it may begin one here, or be in capitals; then as it stands. Names are only looked
    up as they stand.
    """
    if upos == "PROPN":
        return (form,)
    usual = lower(form, lang)
    if upos == "NOUN" and lang in _CAPITAL_NOUNS:
        usual = upper(usual[:1], lang) + usual[1:]
    return (usual, form) if usual != form else (form,)
