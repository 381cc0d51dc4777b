"""A check that the rows of a block form a sentence in CoNLL-U, without a check of their values."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS, parse_id_value

RAW_TEXT = "Raw text belongs in a file named .txt."
"""A part of messages, about files that may be raw text."""
_GLOBAL_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*?)\s*$")
_BLANK_LINE = "If a sentence begins here, put a blank line before it"


class BlockFault(NamedTuple):
    """The reason why a block is not a sentence."""

    row: int
    """The index of the row, from 0."""
    what: str
    remedy: str


def count_words(rows: Sequence[str], is_first: bool) -> Union[int, BlockFault]:
    """
    Returns the number of words of a block, or its first fault. `is_first` means that the block is
    at the top of its file, which may then be raw text.
    """
    # conllu.parse takes 25 times as long as this, forgives stray lines, and does not keep bytes:
    # we take only its reading of ids from it, and only for the unusual ones.
    ids = _Ids()
    started = ended = False
    last_row = 0
    for number, row in enumerate(rows):
        if not row:
            ended = started
            continue
        if ended:
            what, remedy = "a second sentence starts after a blank line", "Pass one at a time."
            return BlockFault(number, what, remedy)
        started = True
        if row[0] == "#":
            if ids.seen:
                what = "a comment follows the first word of its sentence"
                remedy = f"{_BLANK_LINE}; else move the comment above words."
                return BlockFault(number, what, remedy)
            columns = _GLOBAL_COLUMNS.match(row)
            if columns and columns[1].lower().split() != list(DEFAULT_FIELDS):
                what = f"the file is CoNLL-U Plus, with the columns {columns[1]:.80}"
                remedy = "Convert it to CoNLL-U: keep only its ten columns."
                return BlockFault(number, what, remedy)
            continue
        cells = row.split("\t")
        if len(cells) != 10 or "" in cells or "\r" in row or not cells[1].strip(" "):
            what, remedy = _bad_row(row, cells)
            if len(cells) == 1 and not ids.seen and row.strip():
                remedy = f"{RAW_TEXT} If it is CoNLL-U: {remedy}"
            return BlockFault(number, what, remedy)
        problem = ids.problem(cells[0])
        if problem:
            return BlockFault(number, *problem)
        last_row = number
    if ids.words < ids.covered:
        what = f"the multiword range ends at word {ids.covered}, the sentence at {ids.words}"
        remedy = "Add the missing words, or correct the range."
        return BlockFault(last_row, what, remedy)
    if not ids.words:
        remedy = "Remove the block, or the blank line between its comments and its words."
        if is_first:
            remedy += f" {RAW_TEXT}"
        return BlockFault(0, "the block has no words", remedy)
    return ids.words


def _bad_row(row: str, cells: Sequence[str]) -> tuple[str, str]:
    if not row.strip():
        return "the line holds only white space", "Empty it: an empty line ends a sentence."
    if len(cells) != 10:
        remedy = "Separate ID to MISC by single tabs; write `_` for no value."
        return f"the line has {len(cells)} columns instead of 10", remedy
    if "\r" in row:
        return "the line contains a carriage return", r"End lines with \n or \r\n."
    name = DEFAULT_FIELDS[cells.index("")] if "" in cells else "form"
    return f"column {name.upper()} is empty", "Write `_` for no value."


class _Ids:
    """The ids of one sentence: words 1..n, a range before its words, empty nodes after a word."""

    __slots__ = ("words", "covered", "empty", "seen")

    def __init__(self) -> None:
        self.words = 0  # the last word
        self.covered = 0  # the last word of the last multiword range
        self.empty = 0  # how many empty nodes follow the last word
        self.seen = False

    def problem(self, cell: str) -> Optional[tuple[str, str]]:
        """
        Describes the fault of the next id of the sentence and its remedy; `None` if it is correct.
        """
        self.seen = True
        if cell == str(self.words + 1):
            self.words += 1
            self.empty = 0
            return None
        remedy = "Number the words 1, 2, 3, ... in their order."
        try:
            parsed: Any = parse_id_value(cell)
        except (ParseException, ValueError):  # int() takes no more than 4300 digits
            parsed = None
        shown = f"{cell:.40}"
        if parsed is None or parsed == 0:
            return (
                f"{cell[:40]!r} is not an id",
                "Use 3 for a word, 3-4 for a range, 3.1 for an empty node.",
            )
        if isinstance(parsed, int):
            kind = "used twice or out of order" if parsed <= self.words else "out of order"
            if parsed == 1:
                remedy = f"{_BLANK_LINE}; else number the words 1, 2, 3, ... in their order."
            return f"id {shown} is {kind}; {self.words + 1} was expected", remedy
        first, kind, last = parsed
        if kind == ".":
            if (first, last) != (self.words, self.empty + 1):
                expected = f"{self.words}.{self.empty + 1}"
                return f"empty node {shown} is out of order; {expected} was expected", remedy
            self.empty += 1
            return None
        if first <= self.covered:
            return f"range {shown} overlaps the range before it", "Correct or join the ranges."
        if first != self.words + 1:
            what = f"range {shown} is out of order, the next word is {self.words + 1}"
            return what, "Put a range right before its first word."
        self.covered = last
        return None
