"""The scripts of letters: Latin, Greek, Arabic and so on."""

import unicodedata
from functools import lru_cache

MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0970-\u0dff\u200c\u200d"
)
"""Accents, vowel points, vowel signs and joiners: parts of words, but not of `\\w`."""
_TOGETHER = dict.fromkeys(("HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "HALFWIDTH"), "CJK")
"""Scripts that occur with Chinese characters in one word."""


def scripts_of(text: str) -> frozenset[str]:
    """Returns the scripts of the letters of a text; other characters have none."""
    return frozenset(filter(None, map(_script, text)))


@lru_cache(maxsize=1 << 14)
def _script(character: str) -> str:
    # Modifier letters are used with any script.
    if unicodedata.category(character) not in ("Lu", "Ll", "Lt", "Lo"):
        return ""
    name = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
    return _TOGETHER.get(name, name)
