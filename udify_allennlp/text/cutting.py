"""
Text in parts of bounded length, for libraries whose time or memory grows faster than their input:
spaCy's with the square of a run of brackets or emoji, sentencex's with that of quotation marks.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from udify_allennlp.text.raw_text import Token, Tokenizer

MAX_PART = 300
"""
Number of characters in which words are found at a time. Only longer text without white space is
cut.
"""
SYMBOLS = 100
"""The same for characters that are neither white space nor part of words: they cost most."""
MAX_SENTENCE = 10_000
"""Maximum number of characters in a sentence of raw text; a longer one is cut."""

_SYMBOLS = re.compile(rf"(?:[^\w\s]|_){{{SYMBOLS}}}")
_JOINING = ("Mn", "Mc", "Me", "Cf", "Sk")  # combining marks, joiners, skin tones of emoji


def text_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yields parts of a text with their starts, of at most `MAX_PART` characters, cut by `cut`."""
    start = 0
    while start < len(text):
        end = cut(text, start, MAX_PART)
        run = _SYMBOLS.search(text, start, end)
        if run:
            end = cut(text, run.start(), SYMBOLS)
        yield start, text[start:end]
        start = end


def cut(text: str, start: int, size: int) -> int:
    """
    Returns the best end of a part that starts at `start` and has at most `size` characters: the end
    of the text, else after white space, else between a word or number and another character, else
    between two characters that are not combining marks or joiners; in each case the last such
    position.
    """
    end = start + size
    if end >= len(text):
        return len(text)
    for good in (_behind_space, _beside_word, between_characters):
        for place in range(end, start, -1):
            if good(text[place - 1], text[place]):
                return place
    return end


def ending_in(
    pattern: re.Pattern[str], text: str, start: int, stop: int, before: int, after: int = 1
) -> Iterator[re.Match[str]]:
    """
    Yields the matches that end in a part of a text, in order: `start < end <= stop`, as without
    parts. No match is longer than `before` characters, or depends on more than `after` behind it.
    """
    for match in pattern.finditer(text, max(0, start - before), stop + after):
        if start < match.end() <= stop:
            yield match


def bounded(tokenizer: Tokenizer, size: int = MAX_SENTENCE) -> Tokenizer:
    """
    Yields the sentences of a tokenizer that receives at most `size` characters at a time, so that
    no sentence is longer. A sentence that begins in the second half of such a part is tokenized
    again with the following text: the sentences of a longer paragraph are the same as without
    parts, if the context of a boundary (a quotation, for example) has at most half of `size`.
    """

    def tokenize(paragraph: str) -> Iterator[list[Token]]:
        start = 0
        while start < len(paragraph):
            end = cut(paragraph, start, size)
            held: list[Token] = []  # perhaps to be continued
            for tokens in filter(None, tokenizer(paragraph[start:end])):
                if held:
                    yield shifted(held, start)
                held = tokens
                if end < len(paragraph) and held[0].start > size // 2:
                    break
            if end < len(paragraph) and held and held[0].start > 0:
                end = start + held[0].start
            else:
                yield shifted(held, start)
            start = end

    return tokenize


def shifted(tokens: list[Token], by: int) -> list[Token]:
    """Returns the tokens of a part of a text that starts after `by` characters."""
    return [Token(token.start + by, token.end + by, token.words) for token in tokens]


_Good = Callable[[str, str], bool]
"""A test whether a text may be cut between these two characters."""


def _behind_space(before: str, after: str) -> bool:
    return before.isspace()


def _beside_word(before: str, after: str) -> bool:
    return before.isalnum() != after.isalnum() and between_characters(before, after)


def between_characters(before: str, after: str) -> bool:
    """Returns whether a user-perceived character may end between these two."""
    return unicodedata.category(after) not in _JOINING and before != "\u200d"
