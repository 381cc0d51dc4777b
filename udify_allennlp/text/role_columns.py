"""
Semantic roles in columns, as they stand in files: CoNLL 2005 (spans: WORD POS PARSE NE SENSE FRAME,
then a column for each predicate) and CoNLL 2009 (dependencies: ID to PDEPREL, FILLPRED, PRED, then
a column for each predicate).
"""

import re
from typing import Dict, List, Sequence, Tuple

from udify_allennlp.text.roles import (
    Argument,
    Predicate,
    quoted,
    split_roleset,
    with_predicates,
)
from udify_allennlp.text.sentence import Sentence, fault

SPANS, DEPENDENCIES = "conll05", "conll09"
STYLES = (SPANS, DEPENDENCIES)
_FIRST = {SPANS: 6, DEPENDENCIES: 14}
"""The first column of arguments; the two before it say what the predicates are."""
GOLD = (2, 4, 6, 8, 10)
"""Columns of `conll09` beside each of which is what a parser predicts."""
_NONE = {SPANS: ("-",), DEPENDENCIES: ("_", "-")}
"""What stands where there is no predicate; `-` in the Chinese part of CoNLL 2009."""
PARSE, NE = "Parse", "NE"
"""Keys of MISC."""
BLANK = " \t\r\n"
"""What a line that separates sentences consists of."""
_CELL = re.compile(r"((?:\([^()*\s]+)*)\*(\)*)")


class RoleSentence:
    """
    One block of such a file.

    # Parameters

    text : `str`
        As it stands in the file, with the blank lines after it.
    style : `str`
        `conll05` or `conll09`.
    path, line : `str`, `int`
        Where it came from, for messages.

    # Raises

    `ConlluError` with file, line and remedy if it is no such block.
    """

    def __init__(self, text: str, style: str, path: str = "<text>", line: int = 1) -> None:
        self.text, self.style, self.path, self.line = text, style, path, line
        self.rows = [split_row(row) for row in _lines(text) if row.strip(BLANK)]
        first, width = _FIRST[style], len(self.rows[0]) if self.rows else 0
        if width < first:
            what = f"the line has {width} columns; {style} has at least {first}"
            raise fault(path, line, what, "Name a file of this format, or CoNLL-U .conllu.")
        for number, row in enumerate(self.rows):
            if len(row) != width or "" in row:
                what = f"the line has {len(row)} columns, the first of its sentence {width}"
                what = "a column is empty" if len(row) == width else what
                remedy = "Give every word of a sentence all columns, separated by single tabs."
                raise fault(path, line + number, what, remedy)
            if style == DEPENDENCIES and row[0] != str(number + 1):
                remedy = "Number the words 1, 2, 3, ... in their order."
                what = f"id {row[0][:40]!r}, {number + 1} was expected"
                raise fault(path, line + number, what, remedy)
        self.predicates = self._predicates(width - first)
        """In the order of their words."""

    def __len__(self) -> int:
        """How many words."""
        return len(self.rows)

    @property
    def forms(self) -> List[str]:
        return [row[1 if self.style == DEPENDENCIES else 0] for row in self.rows]

    def replace(self, predicates: Sequence[Predicate]) -> "RoleSentence":
        """
        With other predicates. Cells of a block without tabs are separated by tabs then; a block
        with the very predicates stays as it is. A predicate of `conll05` keeps the FRAME that its
        word has.

        # Raises

        `ValueError` for spans that overlap but do not nest.
        """
        ordered = sorted(predicates, key=lambda each: each.word)
        if ordered == self.predicates:
            return self
        first, none = _FIRST[self.style], _NONE[self.style]
        columns = [self._column(predicate) for predicate in ordered]
        of_word = {predicate.word: predicate for predicate in ordered}
        rows = []
        for word, row in enumerate(self.rows, start=1):
            a, b = row[first - 2 : first]
            predicate = of_word.get(word)
            if self.style == SPANS:
                kept = b if b not in none else (predicate.lemma if predicate else "-")
                cells = [predicate.sense or "-", kept] if predicate else ["-", "-"]
            elif predicate:
                cells = ["Y", predicate.roleset]
            else:
                cells = [x if x in none else "_" for x in (a, b)]
            rows.append([*row[: first - 2], *cells, *(column[word - 1] for column in columns)])
        newline = "\r\n" if "\r\n" in self.text else "\n"
        body = "".join("\t".join(row) + newline for row in rows)
        end = re.search(r"\s*\Z", self.text)
        blank = end[0].removeprefix("\r").removeprefix("\n") if end else ""
        return RoleSentence(body + (blank or ""), self.style, self.path, self.line)

    def sentence(self) -> Sentence:
        """
        As CoNLL-U: roles in MISC, and what is in PARSE and NE; of `conll09` lemmas, tags, feats and
        trees of the P columns, which are a parser's. UPOS and XPOS are the tag that there is.
        """
        rows = []
        misc = with_predicates(["_"] * len(self), self.predicates)
        for number, (row, its) in enumerate(zip(self.rows, misc), start=1):
            if self.style == SPANS:
                cells = [row[0], "_", row[1], row[1], "_", "_", "_"]
                columns = zip((PARSE, NE), row[2:4])
                kept = [f"{key}={quoted(cell)}" for key, cell in columns if cell != "*"]
                its = "|".join([*kept, *([] if its == "_" and kept else [its])])
            else:
                lemma, tag, *rest = (row[column + 1] for column in GOLD)
                cells = [row[1], lemma, tag, tag, *rest]
            rows.append("\t".join([str(number), *cells, "_", its]))
        return Sentence("\n".join(rows) + "\n\n", self.path, self.line)

    def _predicates(self, columns: int) -> List[Predicate]:
        first, none = _FIRST[self.style], _NONE[self.style]
        named = "FRAME" if self.style == SPANS else "PRED"
        found: List[Predicate] = []
        for number, row in enumerate(self.rows):
            if row[first - 1] in none:
                continue
            place = first + len(found)
            if len(found) == columns:
                what = f"the word is the {len(found) + 1}th with a {named}, but there are {columns}"
                remedy = f"Give each predicate a column, or take its {named} out."
                raise fault(self.path, self.line + number, f"{what} columns of arguments", remedy)
            lemma, sense = split_roleset(row[first - 1])
            if self.style == SPANS:
                lemma, sense = row[first - 1], "" if row[first - 2] == "-" else row[first - 2]
                found.append(Predicate(number + 1, lemma, sense, spans=self._spans(place)))
            else:
                found.append(Predicate(number + 1, lemma, sense, heads=self._heads(place)))
        if len(found) != columns:
            what = (
                f"there are {columns} columns of arguments, but {len(found)} words have a {named}"
            )
            remedy = "Give as many columns as there are predicates."
            raise fault(self.path, self.line, what, remedy)
        return found

    def _spans(self, column: int) -> Tuple[Argument, ...]:
        found: Dict[int, Argument] = {}
        open_: List[Tuple[str, int, int]] = []
        for word, row in enumerate(self.rows, start=1):
            match = _CELL.fullmatch(row[column])
            if match is None or len(match[2]) > len(open_) + match[1].count("("):
                what = f"column {column + 1} is {row[column][:40]!r}, which closes nothing"
                what = what if match else what.replace("closes nothing", "is no bracket of a span")
                remedy = "Write (A0*, *, *) or (A0*), each span closed once."
                raise fault(self.path, self.line + word - 1, what, remedy)
            for label in match[1].split("(")[1:]:
                open_.append((label, word, len(found) + len(open_)))
            for _ in match[2]:
                label, start, number = open_.pop()
                found[number] = Argument(label, start, word)
        if open_:
            label, start, _ = open_[-1]
            what = f"column {column + 1} opens {label[:40]!r}, which is never closed"
            raise fault(self.path, self.line + start - 1, what, "Close it with *).")
        return tuple(found[number] for number in sorted(found))

    def _heads(self, column: int) -> Tuple[Argument, ...]:
        return tuple(
            Argument(label, word, word)
            for word, row in enumerate(self.rows, start=1)
            if row[column] not in _NONE[self.style]
            for label in row[column].split("|")
        )

    def _column(self, predicate: Predicate) -> List[str]:
        if self.style == SPANS:
            return span_cells(predicate.spans, len(self))
        labels: List[List[str]] = [[] for _ in self.rows]
        for argument in predicate.heads:
            labels[argument.start - 1].append(argument.label)
        return ["|".join(own) or "_" for own in labels]


def span_cells(spans: Sequence[Argument], words: int) -> List[str]:
    """
    The cells `(A0*`, `*`, `*)` of one predicate.

    # Raises

    `ValueError` for spans that overlap but do not nest.
    """
    opened, closed = [""] * words, [""] * words
    waiting: List[Argument] = []
    # Of two that begin together the longer first; of equal ones as they come.
    for span in sorted(spans, key=lambda each: (each.start, -each.end)):
        while waiting and waiting[-1].end < span.start:
            waiting.pop()
        if waiting and waiting[-1].end < span.end:
            raise ValueError(f"the spans {waiting[-1]} and {span} overlap. Brackets only nest.")
        waiting.append(span)
        opened[span.start - 1] += f"({span.label}"
        closed[span.end - 1] += ")"
    return [f"{a}*{b}" for a, b in zip(opened, closed)]


def style_of(text: str) -> str:
    """
    The format of a block: in CoNLL 2009 the first column numbers words, and FILLPRED, the 13th, is
    no bracket.
    """
    first = split_row(next(row for row in _lines(text) if row.strip(BLANK)))
    is_09 = first[0] == "1" and len(first) >= _FIRST[DEPENDENCIES] and "*" not in first[12]
    return DEPENDENCIES if is_09 else SPANS


def _lines(text: str) -> List[str]:
    return text.replace("\r\n", "\n").split("\n")


def split_row(row: str) -> List[str]:
    """Its cells."""
    # Not split(): a word may hold other white space of Unicode.
    return row.split("\t") if "\t" in row else [cell for cell in row.split(" ") if cell]
