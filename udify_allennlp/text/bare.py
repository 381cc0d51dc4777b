"""
Text without marks that do not belong to the spelling: invisible characters from web pages and
editors (soft hyphens, spaces of no width, marks of writing direction), and stress marks of Cyrillic
(`Пу́тин`), which lemmas of treebanks lack. Tokens keep them, so that the text can be rebuilt; no
tokenizer and no model sees them.
"""

import re

from udify_allennlp.text.sentence import Sentence

# Joiners (U+200C, U+200D) are not among them: they are part of the spelling of Persian and others.
_MARK = re.compile(
    "(?:[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
    "|(?<=[аеиоуыэюяёіїєАЕИОУЫЭЮЯЁІЇЄ])\u0301)+"
)
# Its treebanks have marks of direction behind colons, which part words.
_OLD_TURKIC = re.compile("[\U00010c00-\U00010c4f]")


def bare(text: str) -> str:
    """
    Returns a text without such marks; the text itself if it has nothing else, or is Old Turkic.
    """
    if text.isascii() or _OLD_TURKIC.search(text):
        return text
    return _MARK.sub("", text) or text


def with_bare_forms(sentence: Sentence) -> Sentence:
    """Returns a sentence with the `bare` forms of its words."""
    if not _MARK.search(sentence.text) or _OLD_TURKIC.search(sentence.text):
        return sentence
    rows = [row.split("\t") for row in sentence.text.split("\n")]
    for cells in rows:
        if cells[0].isdigit():
            cells[1] = bare(cells[1])
    return Sentence("\n".join(map("\t".join, rows)), sentence.path, sentence.line)


def places(text: str) -> tuple[list[int], list[int]]:
    """
    Returns for each character of a `bare` text its start and its end in the text. Marks belong to
    the character before them, or after white space to the one behind them.
    """
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    is_behind_space = True
    for place, char in enumerate(text):
        if not _MARK.match(text, place):
            starts.append(start)
            ends.append(place + 1)
            is_behind_space = char.isspace()
        elif not is_behind_space:
            ends[-1] = place + 1
        else:
            continue
        start = place + 1
    return starts, ends
