"""
Brackets around words are separate tokens: `(OCA)`, `[2]`. Inside those within a sentence,
`Helsinki (Sw. Helsingfors) is`, no sentence ends.
"""

import re
from collections.abc import Iterator
from typing import Optional

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_OPENS = re.compile(r"(?<!\w)[(\[{](?=\w)")
_CLOSES = re.compile(r"(?<=\w)[)\]}](?!\w)")
_REACH = 100
"""Number of characters in which the other bracket is searched."""
_NUMBERED = 2
"""`a)` and `12)` may be one token: numbers of a list."""
_LONGEST = 300
_PAIRS = (
    re.compile(rf"\([^()\0]{{1,{_LONGEST - 2}}}\)"),
    re.compile(rf"\[[^\[\]\0]{{1,{_LONGEST - 2}}}\]"),
)
_WITHIN = ".,،;:–—-"
_INSIDE_WORDS = frozenset(
    ("akk", "arr", "bej", "egy", "ga", "gd", "gya", "hit", "orv", "ssp", "swl", "tl", "xpg")
)
"""Languages whose treebanks mark letters, names or noises with brackets inside tokens."""
_SQUARE_INSIDE = frozenset(["fro", "la", "sl"])
"""Languages whose treebanks do so with square brackets only."""


def bracket_ends(text: str, lang: str, start: int, stop: int) -> Iterator[int]:
    """
    Yields the ends of tokens behind an opening bracket before a word, and before a closing bracket
    behind one, unless the other bracket is inside a word: `(s)he`. Of tokens in 270 training
    treebanks, outside the languages left to the segmenter, fewer than 30 have such a bracket;
    numbers of lists, `a)`, and single letters in brackets, `(a)`, are also left to it.

    # Parameters

    text : `str`
    lang : `str`
        The code of its language.
    start, stop : `int`
        The part of the text in which brackets are searched.
    """
    if lang in _INSIDE_WORDS:
        return
    for match in _OPENS.finditer(text, start, stop):
        place = match.start()
        if text[place] == "[" and lang in _SQUARE_INSIDE:
            continue
        other = _other(text, place, 1)
        if other is None or _are_apart(text, place, other):
            yield place + 1
    for match in _CLOSES.finditer(text, start, stop):
        place = match.start()
        if text[place] == "]" and lang in _SQUARE_INSIDE:
            continue
        other = _other(text, place, -1)
        if other is None:
            word = text[max(0, place - _NUMBERED - 1) : place]
            is_long = len(word) > _NUMBERED and not any(map(str.isspace, word))
            if is_long or _is_open(text, place):
                yield place
        elif _are_apart(text, other, place):
            yield place


def enclosed(text: str, lang: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """
    Yields the starts and ends of text in brackets with a word before it, and a small letter or
    punctuation behind it, also if only a part of it is between `start` and `stop`. Parameters as
    for `bracket_ends`.
    """
    if lang in _INSIDE_WORDS:
        return
    for pattern in _PAIRS:
        for match in pattern.finditer(text, max(0, start - _LONGEST), stop + _LONGEST):
            first, end = match.span()
            before = text[max(0, first - 2) : first].rstrip()[-1:]
            behind = text[end : end + 2].lstrip()[:1]
            if before.isalnum() and (behind.islower() or (behind and behind in _WITHIN)):
                yield first, end


def _are_apart(text: str, start: int, end: int) -> bool:
    """Returns whether brackets stand around words, or the number of a note: `[2]`."""
    if text[end + 1 : end + 2].isalnum() or (start and text[start - 1].isalnum()):
        return False
    return end > start + 2 or (text[start] == "[" and text[start + 1].isdecimal())


def _is_open(text: str, place: int) -> bool:
    """Returns whether a bracket with white space in it is closed there: `(n = 12)`."""
    reach = max(0, place - _REACH)
    opening = _OPENING[text[place]]
    first = text.rfind(opening, reach, place)
    return first > text.rfind(text[place], reach, place) and not text[first + 1].isspace()


def _other(text: str, place: int, step: int) -> Optional[int]:
    """Returns the place of the bracket that belongs to one, without white space in between."""
    bracket = text[place]
    wanted = _CLOSING[bracket] if step > 0 else _OPENING[bracket]
    depth = 0
    for other in range(place + step, place + step * _REACH, step):
        if not 0 <= other < len(text) or text[other].isspace():
            return None
        depth += (text[other] == bracket) - (text[other] == wanted)
        if depth < 0:
            return other
    return None
