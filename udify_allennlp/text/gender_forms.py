"""
Gender-inclusive forms, which models see as the plain forms of treebanks: German `Lehrer:innen` as
`Lehrerinnen`, French `étudiant·e·s` as `étudiants`, Spanish `tod@s` as `todos`. Treebanks contain
only French `traité(e)`, three times: one token with the lemma of the masculine.
"""

import re
from functools import lru_cache

_FEMININE = "(?:[elnt]|ne|le|se|te|ve|rice|trice|euse|ère)"
_START = r"(?<![\w.-])[^\W\d_]"
_AT = r"@s?(?!\w|[.@-]\w)"
# Portuguese and Galician `@s` is an article.
_WORD_OR_ARTICLE = (_START + "{0,40}" + _AT,)
PATTERNS = {
    "de": (
        r"\b[^\W\d_]{2,40}[:*_](?:in|innen|e|em|en|er|es|m|n|r|s)\b",
        r"\b[A-ZÄÖÜ][^\W\d_]{1,40}/-?(?:in|innen)\b",
    ),
    "es": (
        _START + "{1,40}" + _AT,
        r"\b[^\W\d_]{0,40}[b-df-hj-np-tvzñL]xs\b",
    ),
    "fr": (
        r"\b[^\W\d_]{2,30}(?:[·•‧][^\W\d_]{1,6}){1,2}\b",
        rf"\b[^\W\d_]{{2,30}}(?:\.{_FEMININE}\.|-{_FEMININE}-)s\b",
        rf"\b[^\W\d_]{{2,30}}\({_FEMININE}\)s?(?!\w)",
    ),
    "gl": _WORD_OR_ARTICLE,
    "pt": _WORD_OR_ARTICLE,
}
"""By language, patterns that match at most 50 characters."""
_GERMAN_SIGN = re.compile("[:*_/]-?")
_FRENCH_SIGN = re.compile("[·•‧.(-]")


def has_gender_forms(text: str, lang: str) -> bool:
    """Returns whether a text may contain a gender-inclusive form."""
    return lang in PATTERNS and _pattern(lang).search(text) is not None


def plain_form(form: str, lang: str) -> str:
    """Returns the plain form of a gender-inclusive form; any other form unchanged."""
    if lang not in PATTERNS or not _pattern(lang).fullmatch(form):
        return form
    if lang == "de":
        return _GERMAN_SIGN.sub("", form, 1)
    if lang != "fr":
        return form.replace("@", "o").replace("xs", "os")
    masculine, feminine = _FRENCH_SIGN.split(form, 1)
    is_plural = feminine.endswith(("s", "s)")) and not masculine.endswith(("s", "x", "z"))
    return masculine + "s" * is_plural


def with_sign(lemma: str, form: str) -> str:
    """
    Returns the lemma of a plain form with the German sign of its form as written: `Lehrer:in` from
    `Lehrerin` for `Lehrer:innen`. French and Spanish lemmas are those of the plain form.
    """
    sign = _GERMAN_SIGN.search(form)
    if sign is None or len(lemma) <= sign.start() or not form.startswith(lemma[: sign.start()]):
        return lemma
    return lemma[: sign.start()] + sign[0] + lemma[sign.start() :]


@lru_cache(maxsize=len(PATTERNS))
def _pattern(lang: str) -> re.Pattern[str]:
    return re.compile("|".join(PATTERNS[lang]))
