"""
Tokens with signs that networks cut, but the treebanks of a language do not: Dutch `5%`, German
`Lehrer:innen`, English `'60s`, and units such as `km²`. All patterns have a bounded length.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.gender_forms import PATTERNS
from udify_allennlp.text.possessives import ELIDED, is_quoted

_PERCENT = r"(?<![\w.,])\d{1,9}(?:[.,]\d{1,9}){0,3}%(?!\w)"
_DEGREE = r"°[CF]\b"
_GENITIVE = r"(?P<quoted>\b[A-ZÄÅÆÖØÜ][^\W\d_]{0,30}[sxzß]['’](?=[ \u00a0]\w))"
_WHOLE = {
    "af": [_PERCENT],
    "da": [_GENITIVE],
    "de": [_GENITIVE, r"(?<![\w'’‘])['’](?:n|ne|nem|nen|ner)(?=[ \u00a0]\w)"],
    "en": [
        rf"(?<![\w'’‘])['’‘](?!n\b){ELIDED}(?!['’])",
        r"(?<![\w'’‘])['’]n['’]?(?=[ \u00a0]\w)",
        r"(?P<quoted>\b[^\W\d_]{2,20}in['’](?=[ \u00a0]\w))",
    ],
    "fr": [_DEGREE, r"\b[Pp]['’]tite?s?\b"],
    "is": [_PERCENT],
    "nb": [_GENITIVE],
    "nl": [_PERCENT, _GENITIVE],
    "nn": [_GENITIVE],
    "no": [_GENITIVE],
    "pl": [_DEGREE],
    "sv": [_GENITIVE],
}
"""
By language. The apostrophe of a group `quoted` may end a quotation instead, if one is open. German
treebanks have only genitives there (`Max' Hund`), three of them.
"""
_UNIT = r"(?:(?<=\d)|(?<=\d[ \u00a0]))[cdkm]?m[²³](?!\w)"
_UNITS_CUT = frozenset(["es"])
_WIDEST = 60


def whole_tokens(text: str, lang: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """
    Yields the start and the end of each of them in a part of a text, in order:
    `start < end <= stop`.
    """
    for match in ending_in(_pattern(lang), text, start, stop, _WIDEST, after=2):
        quoted = match.groupdict().get("quoted")
        if not quoted or not is_quoted(text, match.start()):
            yield match.span()


@lru_cache(maxsize=256)
def _pattern(lang: str) -> re.Pattern[str]:
    units = [] if lang in _UNITS_CUT else [_UNIT]
    patterns = [*_WHOLE.get(lang, ()), *PATTERNS.get(lang, ()), *units]
    return re.compile("|".join(patterns) or r"(?!)")
