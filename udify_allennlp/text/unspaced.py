"""Scripts without spaces between words, and the ends of words in them by ICU's dictionaries."""

import re
from collections.abc import Iterator

import numpy

from udify_allennlp.text.cutting import text_parts

CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{CHARACTERS}]")
"""A character of Thai and Lao, Burmese, Khmer, kana, Han."""
RUN = re.compile(f"[{CHARACTERS}]+")
# Kana that continue a Japanese verb or adjective. No other word begins with them behind a Han
# character: of 1,100 in treebanks, 4 do.
_OKURIGANA = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff](?=[うきぎけげびべむめりるれろん])")
# Small kana and the sign of long vowels continue a word: of 4,600 in treebanks, 2 begin one. But
# there are words such as って and っぱなし.
_SMALL = re.compile(
    "[\u3041-\u30fa](?=[ぁぃぅぇぉゃゅょゎァィゥェォャュョヮー]|[っッ](?![てたちとぱテタチトパ]))"
)
# Words that training hardly has: requests, greetings and thanks.
_WORDS = re.compile(
    r"ください|なさい(?=[。！!」\s\0]|\Z)|おはよう|こんにちは|こんばんは|さようなら"
    r"|谢谢|謝謝|再[见見](?!到)|[对對]不起"
)
_APART = "\n"  # a word of its own for ICU, so that no dictionary sees beyond it
_TOGETHER = 4096  # characters for one call of ICU, which takes as long to begin as for some 20


def dictionary_states(text: str) -> numpy.ndarray:
    """
    Returns for each character 1 if it is in such a script, 2 if ICU ends a word after it, else 0;
    uint8 `(len(text),)`. The time is linear in the length of the text: ICU receives at most
    `MAX_PART` characters at a time.
    """
    from icu4py.breakers import WordBreaker

    states = numpy.zeros(len(text), dtype=numpy.uint8)
    for ranges in _together(text):
        joined = _APART.join(text[part.start : part.stop] for part in ranges)
        # ICU's own offsets count UTF-16 units, which are not Python's characters.
        ends = numpy.cumsum([*map(len, WordBreaker(joined, "en"))])
        joined_states = numpy.ones(len(joined) + 1, dtype=numpy.uint8)
        joined_states[ends - 1] = 2
        place = 0
        for part in ranges:
            states[part.start : part.stop] = joined_states[place : place + len(part)]
            place += len(part) + len(_APART)
    return states


def inside_words(text: str) -> numpy.ndarray:
    """
    Returns for each character whether a Japanese or Chinese word continues after it for certain:
    in 食べる, after 食, in しゃべる, after し, and in こんにちは and 谢谢; bool `(len(text),)`.
    """
    is_inside = numpy.zeros(len(text), dtype=bool)
    for pattern in (_OKURIGANA, _SMALL):
        is_inside[[match.start() for match in pattern.finditer(text)]] = True
    for match in _WORDS.finditer(text):
        is_inside[match.start() : match.end() - 1] = True
    return is_inside


def _together(text: str) -> Iterator[list[range]]:
    """Yields all parts in such scripts, some at a time."""
    held: list[range] = []
    size = 0
    for run in RUN.finditer(text):
        for start, part in text_parts(run[0]):
            first = run.start() + start
            held.append(range(first, first + len(part)))
            size += len(part)
            if size >= _TOGETHER:
                yield held
                held, size = [], 0
    if held:
        yield held
