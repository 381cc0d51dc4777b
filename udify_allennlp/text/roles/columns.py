"""
Semantic roles in columns of files: CoNLL 2005 (spans: WORD POS PARSE NE SENSE FRAME, then a column
for each predicate) and CoNLL 2009 (dependencies: ID to PDEPREL, FILLPRED, PRED, then a column for
each predicate).
"""

import re
from collections.abc import Sequence

from udify_allennlp.text.roles.predicates import (
    UNKNOWN,
    Argument,
    Predicate,
    quoted,
    split_roleset,
    with_predicates,
)
from udify_allennlp.text.roles.styles import DEPENDENCIES, FIRST, NONE, SPANS, rows_of
from udify_allennlp.text.sentence import BOM, Sentence, fault

GOLD = (2, 4, 6, 8, 10)
"""Gold columns of `conll09`, each next to the column of a parser's predictions."""
FILLED = "Y"
"""FILLPRED of a predicate."""
PARSE, NE = "Parse", "NE"
"""Keys of MISC."""
_CELL = re.compile(r"((?:\([^()*\s]+)*)\*(\)*)")


class RoleSentence:
    """
    One block of such a file.

    # Parameters

    text : `str`
        The text in the file, with the blank lines after it.
    style : `str`
        `conll05` or `conll09`.
    path, line : `str`, `int`
        Its origin, for messages.

    # Raises

    `ConlluError` with file, line and remedy if it is not such a block.
    """

    def __init__(self, text: str, style: str, path: str = "<text>", line: int = 1) -> None:
        self.text, self.style, self.path, self.line = text, style, path, line
        self.rows = rows_of(text)
        first, width = FIRST[style], len(self.rows[0]) if self.rows else 0
        if width < first:
            what = f"the line has {width} columns, but {style} has at least {first}"
            raise fault(path, line, what, "Name a file of this format, or CoNLL-U .conllu.")
        for number, row in enumerate(self.rows):
            if "\r" in "".join(row):
                what, remedy = (
                    "the line contains a carriage return",
                    r"End lines with \n or \r\n.",
                )
                raise fault(path, line + number, what, remedy)
            if len(row) != width or "" in row:
                what = (
                    f"the line has {len(row)} columns, but the first line of its sentence has "
                    f"{width}"
                )
                what = "a column is empty" if len(row) == width else what
                remedy = "Write all columns for every word of a sentence, separated by single tabs."
                raise fault(path, line + number, what, remedy)
            if style == DEPENDENCIES and row[0] != str(number + 1):
                remedy = "Number the words 1, 2, 3, ... in their order."
                what = f"id is {row[0][:40]!r}, but {number + 1} was expected"
                raise fault(path, line + number, what, remedy)
        self.predicates = self._predicates(width - first)
        """The predicates in the order of their words."""

    def __len__(self) -> int:
        """Returns the number of words."""
        return len(self.rows)

    @property
    def forms(self) -> list[str]:
        return [row[1 if self.style == DEPENDENCIES else 0] for row in self.rows]

    def replace(self, predicates: Sequence[Predicate]) -> "RoleSentence":
        """
        Returns the sentence with other predicates. Cells of a block without tabs are then separated
        by tabs; a block with the same predicates is unchanged. A predicate of `conll05` keeps the
        FRAME of its word. In `conll09`, if no predicate has a roleset or arguments, there are no
        columns.

        # Raises

        `ValueError` for spans that overlap but do not nest, and in `conll09` for a predicate
        without roleset beside others or with arguments.
        """
        ordered = sorted(predicates, key=lambda predicate: predicate.word)
        if ordered == self.predicates:
            return self
        first, none = FIRST[self.style], NONE[self.style]
        blind = self.style == DEPENDENCIES and not any(p.lemma or p.heads for p in ordered)
        columns = [] if blind else [self._column(predicate) for predicate in ordered]
        of_word = {predicate.word: predicate for predicate in ordered}
        rows = []
        for word, row in enumerate(self.rows, start=1):
            a, b = row[first - 2 : first]
            predicate = of_word.get(word)
            if self.style == SPANS:
                kept = b if b not in none else (predicate.lemma or UNKNOWN if predicate else "-")
                cells = [predicate.sense or "-", kept] if predicate else ["-", "-"]
            elif predicate:
                cells = [FILLED, predicate.roleset]
            else:
                cells = [x if x in none else "_" for x in (a, b)]
            rows.append([*row[: first - 2], *cells, *(column[word - 1] for column in columns)])
        newline = "\r\n" if "\r\n" in self.text else "\n"
        bom = BOM if self.text.startswith(BOM) else ""
        body = bom + "".join("\t".join(row) + newline for row in rows)
        end = re.search(r"\s*\Z", self.text)
        blank = end[0].removeprefix("\r").removeprefix("\n") if end else ""
        return RoleSentence(body + (blank or ""), self.style, self.path, self.line)

    def sentence(self) -> Sentence:
        """
        Returns the sentence as CoNLL-U: roles in MISC, and the contents of PARSE and NE; for
        `conll09` lemmas, tags, feats and trees of the P columns, which come from a parser. UPOS and
        XPOS are both the available tag.
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

    def _predicates(self, columns: int) -> list[Predicate]:
        first = FIRST[self.style]
        named = "FRAME" if self.style == SPANS else "PRED"
        predicates: list[Predicate] = []
        for number, row in enumerate(self.rows):
            if not self._is_predicate(number, columns):
                continue
            sense, roleset = row[first - 2 : first]
            if self.style == DEPENDENCIES and roleset in NONE[self.style]:
                predicates.append(Predicate(number + 1, "", ""))
                continue
            count = len(predicates)
            if count >= columns:
                what = f"the word is the {count + 1}th with a {named}, but there are {columns}"
                remedy = f"Write a column for each predicate, or remove its {named}."
                raise fault(self.path, self.line + number, f"{what} columns of arguments", remedy)
            place = first + count
            if self.style == SPANS:
                # FRAME is no roleset: its full stops are the lemma's.
                lemma, sense = roleset, "" if sense == "-" else sense
                lemma = "" if (lemma, sense) == (UNKNOWN, "") else lemma
                predicates.append(Predicate(number + 1, lemma, sense, spans=self._spans(place)))
            else:
                lemma, sense = split_roleset(roleset)
                predicates.append(Predicate(number + 1, lemma, sense, heads=self._heads(place)))
        count = len(predicates)
        if count < columns:
            what = f"there are {columns} columns of arguments, but {count} words have a {named}"
            remedy = "Write one column for each predicate."
            raise fault(self.path, self.line, what, remedy)
        return predicates

    def _is_predicate(self, number: int, columns: int) -> bool:
        none = NONE[self.style]
        fill, pred = self.rows[number][FIRST[self.style] - 2 : FIRST[self.style]]
        if self.style == SPANS:
            return pred not in none
        if fill not in (FILLED, *none):
            what = f"FILLPRED is {fill[:40]!r}"
            remedy = "Write Y for a predicate, _ for any other word."
        elif fill != FILLED and pred not in none:
            what = f"PRED is {pred[:40]!r}, but FILLPRED {fill!r}"
            remedy = "Write Y in FILLPRED if the word is a predicate, or else _ in PRED."
        elif fill == FILLED and pred in none and columns:
            # The shared task's input leaves PRED to be filled in, and has no arguments either.
            what = f"FILLPRED is 'Y' and there are columns of arguments, but PRED is {pred!r}"
            remedy = "Write the roleset in PRED, or remove all columns of arguments."
        else:
            return fill == FILLED
        raise fault(self.path, self.line + number, what, remedy)

    def _spans(self, column: int) -> tuple[Argument, ...]:
        arguments: dict[int, Argument] = {}
        open_: list[tuple[str, int, int]] = []
        for word, row in enumerate(self.rows, start=1):
            match = _CELL.fullmatch(row[column])
            if match is None or len(match[2]) > len(open_) + match[1].count("("):
                what = f"column {column + 1} is {row[column][:40]!r}, which closes no span"
                what = (
                    what if match else what.replace("closes no span", "is not a bracket of a span")
                )
                remedy = "Write (A0*, *, *) or (A0*), each span closed once."
                raise fault(self.path, self.line + word - 1, what, remedy)
            for label in match[1].split("(")[1:]:
                open_.append((label, word, len(arguments) + len(open_)))
            for _ in match[2]:
                label, start, number = open_.pop()
                arguments[number] = Argument(label, start, word)
        if open_:
            label, start, _ = open_[-1]
            what = f"column {column + 1} opens {label[:40]!r}, which is never closed"
            raise fault(self.path, self.line + start - 1, what, "Close it with *).")
        return tuple(arguments[number] for number in sorted(arguments))

    def _heads(self, column: int) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        for word, row in enumerate(self.rows, start=1):
            labels = [] if row[column] in NONE[self.style] else row[column].split("|")
            if "" in labels:
                what = f"column {column + 1} is {row[column][:40]!r}, which has an empty label"
                remedy = "Write A0 for a role, A0|A1 for two, _ for none."
                raise fault(self.path, self.line + word - 1, what, remedy)
            arguments += [Argument(label, word, word) for label in labels]
        return tuple(arguments)

    def _column(self, predicate: Predicate) -> list[str]:
        if self.style == SPANS:
            return span_cells(predicate.spans, len(self))
        labels: list[list[str]] = [[] for _ in self.rows]
        for argument in predicate.heads:
            labels[argument.start - 1].append(argument.label)
        return ["|".join(roles) or "_" for roles in labels]


def span_cells(spans: Sequence[Argument], words: int) -> list[str]:
    """
    The cells `(A0*`, `*`, `*)` of one predicate.

    # Raises

    `ValueError` for spans that overlap but do not nest.
    """
    opened, closed = [""] * words, [""] * words
    waiting: list[Argument] = []
    # Of two that begin together the longer first; of equal ones as they come.
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while waiting and waiting[-1].end < span.start:
            waiting.pop()
        if waiting and waiting[-1].end < span.end:
            raise ValueError(f"the spans {waiting[-1]} and {span} overlap. Brackets must nest.")
        waiting.append(span)
        opened[span.start - 1] += f"({span.label}"
        closed[span.end - 1] += ")"
    return [f"{a}*{b}" for a, b in zip(opened, closed)]
