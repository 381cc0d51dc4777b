"""Letter case by the rules of a language: the dotted and dotless i of Turkic, the final sigma."""

import re

_DOTLESS = frozenset(("az", "crh", "tr"))
"""Languages in which I is the capital of ı, and İ that of i."""
_GREEK = frozenset(("cpg", "el", "grc"))
CAPITAL_NOUNS = frozenset(("bar", "de", "gsw", "lb", "nds"))
"""Languages that capitalize all nouns, so that case distinguishes words."""
_TO_LOWER = str.maketrans("Iİ", "ıi")
_TO_UPPER = str.maketrans("ıi", "Iİ")
_LAST_SIGMA = re.compile(r"(?<=[^\W\d_])σ(?![^\W\d_])")
_INNER_SIGMA = re.compile(r"ς(?=[^\W\d_])")


def lower(text: str, lang: str = "") -> str:
    """
    Returns lower-case letters, the same number as before: İ is the only character whose `lower()`
    is longer. `lang` is the code of the language, empty if unknown.
    """
    if lang in _DOTLESS:
        return text.translate(_TO_LOWER).lower()
    return text.replace("İ", "i").lower()


def upper(text: str, lang: str = "") -> str:
    """Returns capital letters."""
    return (text.translate(_TO_UPPER) if lang in _DOTLESS else text).upper()


def with_sigmas(text: str, lang: str = "") -> str:
    """
    Lower-cases Greek, with ς at the end of words and σ elsewhere; a word of one letter is
    unchanged.
    """
    if lang not in _GREEK:
        return text
    return _LAST_SIGMA.sub("ς", _INNER_SIGMA.sub("σ", text))


def spellings(form: str, lang: str, upos: str) -> tuple[str, ...]:
    """
    Returns the spellings under which a lexicon may have a word: first its spelling within a
    sentence, since the word may begin one here, or be in capitals; then its actual spelling. Names
    are looked up only in their actual spelling.
    """
    if upos == "PROPN":
        return (form,)
    usual = lower(form, lang)
    if upos == "NOUN" and lang in CAPITAL_NOUNS:
        usual = upper(usual[:1], lang) + usual[1:]
    return (usual, form) if usual != form else (form,)
