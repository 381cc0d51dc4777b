"""The two formats of semantic roles in columns: their cells, and how to distinguish them."""

import os
from typing import Optional, Union

from udify_allennlp.text.files import compression
from udify_allennlp.text.sentence import BOM

SPANS, DEPENDENCIES = "conll05", "conll09"
STYLES = (SPANS, DEPENDENCIES)
FIRST = {SPANS: 6, DEPENDENCIES: 14}
"""
Number of columns before the first column of arguments; the last two of them describe the
predicates.
"""
NONE = {SPANS: ("-",), DEPENDENCIES: ("_", "-")}
"""Cells of words that are not predicates; `-` in the Chinese part of CoNLL 2009."""
BLANK = " \t\r\n"
"""Characters of a line that separates sentences."""


def style_of(text: str, named: Optional[str] = None) -> str:
    """
    Returns the format of a block. In CoNLL 2009 the first column numbers words, and FILLPRED, the
    13th, is not a bracket; in CoNLL 2005 PARSE and NE, the third and the fourth, are brackets. If
    an error in the first line leaves it open, the file's name determines it, `named`.
    """
    first = rows_of(text)[0]
    wide = len(first) >= FIRST[DEPENDENCIES] and "*" not in first[12]
    # No line of CoNLL 2005 is so, but one of CoNLL 2009 may have the lemma `*`.
    if wide and first[0] == "1":
        return DEPENDENCIES
    brackets = has_brackets(first)
    if brackets and not wide:
        return SPANS
    return named or (DEPENDENCIES if wide and not brackets else SPANS)


def has_brackets(cells: list[str]) -> bool:
    """Returns whether a line has the brackets of CoNLL 2005: its first word may be `#`."""
    return len(cells) >= FIRST[SPANS] and all("*" in cell for cell in cells[2:4])


def style_of_name(path: Union[str, "os.PathLike[str]"]) -> Optional[str]:
    """Returns the format of a name in `.conll05` or `.conll09`, possibly compressed."""
    name = os.path.basename(os.fspath(path)).removesuffix(compression(path))
    ending = os.path.splitext(name)[1][1:]
    return ending if ending in STYLES else None


def rows_of(text: str) -> list[list[str]]:
    """Returns the cells of the non-blank lines of a block."""
    lines = text.removeprefix(BOM).replace("\r\n", "\n").split("\n")
    return [split_row(line) for line in lines if line.strip(BLANK)]


def split_row(row: str) -> list[str]:
    """Splits a row into its cells."""
    # Not split(): a word may hold other white space of Unicode.
    return row.split("\t") if "\t" in row else [cell for cell in row.split(" ") if cell]
