"""Treebanks as columns of numbers: about 35 bytes per word in addition to the text itself."""

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Optional, Union, overload

import numpy

from udify_allennlp.text.conllu import treebank_name
from udify_allennlp.text.sentence import Sentence

PIECES, FIRST = "pieces", "first"
"""The wordpieces of each sentence, and the position of each word's first one among them."""
FORMS = "forms"
"""The words themselves."""


def consecutive(starts: numpy.ndarray, counts: numpy.ndarray) -> numpy.ndarray:
    """
    Returns `starts[0], starts[0] + 1, ...`, `counts[0]` numbers, then those from `starts[1]`, ...
    """
    ends = numpy.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return numpy.arange(total) + numpy.repeat(starts - (ends - counts), counts)


@dataclass(frozen=True, eq=False)
class Column:
    """One number for each word, for each sentence, or for each row of a sentence."""

    unit: str
    """`word`, `sentence` or `row`; see `ColumnSpec`."""
    codes: numpy.ndarray
    """`(words,)`, `(sentences,)` or `(rows,)` int32."""
    names: Optional[list[str]] = None
    """
    The strings that the numbers stand for, in order of first appearance; `None` if the numbers are
    values themselves.
    """
    offsets: Optional[numpy.ndarray] = None
    """`(sentences + 1,)` int64: the start of each sentence's rows, if `unit` is `row`."""


@dataclass(frozen=True, eq=False)
class TreebankTable:
    """
    The sentences of some files. The words of all sentences are stored one after the other; offsets
    hold the start of each sentence and, at the end, the end of the last one.
    """

    paths: list[str]
    texts: list[numpy.ndarray]
    """The UTF-8 bytes of each file's sentences, possibly mapped from disk."""
    lines: numpy.ndarray
    """`(sentences,)` int32: the line of the file at which each sentence starts, from 1."""
    text_offsets: numpy.ndarray
    """`(sentences + 1,)` int64, in bytes, through all `texts`."""
    word_offsets: numpy.ndarray
    """`(sentences + 1,)` int64."""
    columns: dict[str, Column]
    kept: Optional[Sequence[Sentence]] = None
    """The sentences, if they come from memory and not from files; there are then no `texts`."""

    def __len__(self) -> int:
        """Returns the number of sentences."""
        return len(self.lines)

    @property
    def words(self) -> int:
        """The number of words."""
        return int(self.word_offsets[-1])

    def offsets(self, column: str) -> numpy.ndarray:
        """Returns the start of each sentence's numbers in a column, `(sentences + 1,)`."""
        table_column = self.columns[column]
        if table_column.unit == "sentence":
            return numpy.arange(len(self) + 1)
        return self.word_offsets if table_column.offsets is None else table_column.offsets

    def values(self, row: int, column: str) -> list[Any]:
        """Returns the numbers or strings of a sentence."""
        start, end = self.offsets(column)[row : row + 2]
        codes = self.columns[column].codes[start:end].tolist()
        names = self.columns[column].names
        return codes if names is None else [names[code] for code in codes]

    @cached_property
    def _starts(self) -> list[int]:
        """The start of each file's text."""
        return [0, *itertools.accumulate(len(text) for text in self.texts[:-1])]

    @cached_property
    def treebanks(self) -> tuple[list[str], numpy.ndarray]:
        """
        The treebanks by the names of their files, and the index of each sentence's treebank,
        `(sentences,)`.
        """
        codes = Codes()
        of_file = numpy.array(
            [codes[treebank_name(path)] for path in self.paths], dtype=numpy.int32
        )
        files = numpy.searchsorted(self._starts, self.text_offsets[:-1], side="right") - 1
        return list(codes), of_file[files]

    def sentence(self, row: int) -> Sentence:
        """Returns a sentence as in its file, made again from its text."""
        if self.kept is not None:
            return self.kept[row]
        start, end = self.text_offsets[row : row + 2].tolist()
        # The last file that starts here or before: files without a sentence have no bytes.
        file = bisect_right(self._starts, start) - 1
        block = self.texts[file][start - self._starts[file] : end - self._starts[file]]
        return Sentence(block.tobytes().decode("utf-8"), self.paths[file], int(self.lines[row]))

    def with_column(self, name: str, codes: numpy.ndarray, names: list[str]) -> "TreebankTable":
        """Returns the table with other values, `codes` of `names`, in a column."""
        column = replace(self.columns[name], codes=codes, names=names)
        return replace(self, columns={**self.columns, name: column})

    def head(self, count: int) -> "TreebankTable":
        """The first `count` sentences."""
        count = min(count, len(self))
        return TreebankTable(
            self.paths,
            self.texts,
            self.lines[:count],
            self.text_offsets[: count + 1],
            self.word_offsets[: count + 1],
            {
                name: Column(
                    column.unit,
                    column.codes[: int(self.offsets(name)[count])],
                    column.names,
                    None if column.offsets is None else column.offsets[: count + 1],
                )
                for name, column in self.columns.items()
            },
            None if self.kept is None else self.kept[:count],
        )


class Codes(dict[str, int]):
    """A numbering of strings from 0 in the order of first requests."""

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


class Sentences(Sequence[Sentence]):
    """Sentences of a table that are made on demand, which training never needs."""

    def __init__(self, table: TreebankTable, rows: Sequence[int]) -> None:
        self._table = table
        self._rows = rows
        self._made: dict[int, Sentence] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...

    @overload
    def __getitem__(self, index: slice) -> list[Sentence]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Sentence, list[Sentence]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = self._rows[index]
        if row not in self._made:
            self._made[row] = self._table.sentence(row)
        return self._made[row]
