"""The two formats of semantic roles in columns: their cells, and how to distinguish them."""

import os
from typing import Optional, Union

from udify_allennlp.text.files import compression
from udify_allennlp.text.sentence import BOM

SPANS, DEPENDENCIES = "conll05", "conll09"
STYLES = (SPANS, DEPENDENCIES)
FIRST = {SPANS: 6, DEPENDENCIES: 14}
"""The first column of arguments; the two before it say what the predicates are."""
NONE = {SPANS: ("-",), DEPENDENCIES: ("_", "-")}
"""What stands where there is no predicate; `-` in the Chinese part of CoNLL 2009."""
BLANK = " \t\r\n"
"""What a line that separates sentences consists of."""


def style_of(text: str, named: Optional[str] = None) -> str:
    """
    The format of a block. In CoNLL 2009 the first column numbers words, and FILLPRED, the 13th, is
    no bracket; in CoNLL 2005 PARSE and NE, the third and the fourth, are brackets. Where a fault of
    the first line leaves it open, it is the one that the file's name asks for, `named`.
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
    """The format that a name in `.conll05` or `.conll09` asks for, perhaps compressed."""
    name = os.path.basename(os.fspath(path)).removesuffix(compression(path))
    ending = os.path.splitext(name)[1][1:]
    return ending if ending in STYLES else None


def rows_of(text: str) -> list[list[str]]:
    """The cells of the lines of a block that are not blank."""
    lines = text.removeprefix(BOM).replace("\r\n", "\n").split("\n")
    return [split_row(line) for line in lines if line.strip(BLANK)]


def split_row(row: str) -> list[str]:
    """Splits a row into its cells."""
    # Not split(): a word may hold other white space of Unicode.
    return row.split("\t") if "\t" in row else [cell for cell in row.split(" ") if cell]
