"""
Ends of sentences after abbreviations that close a list, such as `etc.`, before a capital.

Treebanks have 80 of these places, of which 75 are ends. Abbreviations of eras come before names as
well (`300 a.C. Roma`), and German ones before nouns, so that only a word that opens sentences ends
one after them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Optional

from udify_allennlp.text.abbreviation_lists import listed
from udify_allennlp.text.casing import CAPITAL_NOUNS
from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.sentence_openers import openers

_ANYWHERE = frozenset(["etc"])
"""In all languages."""
_CLOSING = {
    "af": "ens enz",
    "be": "т.д т.п",
    "bg": "др итн т.н",
    "cs": "apod atd atp",
    "da": "m.fl m.m m.v osv",
    "el": "κ.ά κ.λπ κ.ο.κ κ.τ.λ κλπ κτλ",
    "et": "jm jms jne",
    "fi": "jms jne ym yms",
    "hr": "itd итд",
    "hu": "stb",
    "id": "dll dsb dst",
    "is": "o.fl o.s.frv",
    "it": "ecc",
    "lt": "pan t.t",
    "lv": "u.c utml utt",
    "nb": "m.m m.v mv osv",
    "nl": "enz",
    "pl": "itd itp",
    "ro": "ș.a ș.a.m.d ş.a ş.a.m.d",
    "ru": "т.д т.п",
    "sk": "atď",
    "sl": "ipd itd",
    "sq": "etj",
    "sr": "itd итд",
    "sv": "m.fl m.m o.d o.s.v osv",
    "tr": "vb vs",
    "uk": "т.д т.п",
    "vi": "v.v",
}
_BEFORE_OPENERS = {
    "ca": "a.c d.c",
    "de": "a.d n.chr o.ä u.s.w u.v.m u.ä usw v.chr",
    "en": "a.d b.c",
    "es": "a.c d.c",
    "fr": "apr.j.-c av.j.-c",
    "gl": "a.c d.c",
    "it": "a.c d.c",
    "nl": "n.chr v.chr",
    "pl": "n.e",
    "pt": "a.c d.c",
    "ru": "н.э",
    "uk": "н.е",
}
_LEFT = frozenset(["frm", "la"])
"""Their treebanks have lists of clauses with `etc.`, each with a capital."""
_WIDEST = 40
"""Maximum number of characters of a match, and of a listed word behind it."""


def closing_ends(
    text: str, lang: Optional[str], start: int = 0, stop: Optional[int] = None
) -> Iterator[int]:
    """
    Yields the ends of sentences in a language (`None`: English) after such abbreviations:
    `start < end <= stop`.
    """
    stop = len(text) if stop is None else stop
    for pattern, opening in _patterns(lang or "en"):
        for match in ending_in(pattern, text, start, stop, _WIDEST, _WIDEST):
            following = match["following"]
            if following in opening if opening else following[0].isupper():
                yield match.end()


def closing_words(lang: Optional[str]) -> frozenset[str]:
    """Returns these abbreviations in a language (`None`: English), without their final period."""
    return _ANYWHERE | listed(_CLOSING, lang) | listed(_BEFORE_OPENERS, lang)


@lru_cache(maxsize=64)
def _patterns(lang: str) -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    """
    Returns the patterns of abbreviations, each with the words of which one has to follow; none if
    any with a capital may.
    """
    if lang in _LEFT:
        return ()
    opening = openers(lang)
    pairs = (
        (
            _ANYWHERE | listed(_CLOSING, lang),
            opening if lang in CAPITAL_NOUNS else frozenset[str](),
        ),
        (listed(_BEFORE_OPENERS, lang), opening),
    )
    return tuple((_pattern(words), own) for words, own in pairs if words)


def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    choices = "|".join(re.escape(word).replace(r"\.", r"\.[ \u00a0]?") for word in sorted(words))
    return re.compile(rf"(?<![\w.])(?i:{choices})\.(?=[ \u00a0](?P<following>[^\W\d_]+)\b(?!\.))")
