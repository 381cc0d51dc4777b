"""The tables of many files to one."""

from array import array
from itertools import islice
from typing import Dict, Iterable, List

import numpy

from udify_allennlp.data.table import Codes, LabelColumn, TreebankTable


def join(tables: Iterable[TreebankTable]) -> TreebankTable:
    """
    One table of all sentences, in their order. There is at least one table, and all have the same
    columns. Each is let go before the next is asked for, so that memory never holds columns twice.
    """
    coming = iter(tables)
    waiting = list(islice(coming, 2))
    if len(waiting) == 1:
        return waiting[0]
    joined = _Joined(waiting[0])
    while waiting:
        joined.add(waiting.pop(0))
        waiting.extend(islice(coming, 1))
    return joined.table()


class _Joined:
    """Columns that grow in place, empty at first; which ones there are is seen in a table."""

    def __init__(self, example: TreebankTable) -> None:
        self._paths: List[str] = []
        self._texts: List[numpy.ndarray] = []
        self._lines, self._pieces, self._first = array("i"), array("i"), array("i")
        self._text_offsets, self._word_offsets, self._piece_offsets = (
            array("q", [0]) for _ in range(3)
        )
        self._heads = None if example.heads is None else array("i")
        self._names = {column: Codes() for column in example.labels}
        self._codes: Dict[str, array] = {column: array("i") for column in example.labels}

    def add(self, table: TreebankTable) -> None:
        self._paths += table.paths
        self._texts += table.texts
        for offsets, more in (
            (self._text_offsets, table.text_offsets),
            (self._word_offsets, table.word_offsets),
            (self._piece_offsets, table.piece_offsets),
        ):
            _extend(offsets, more[1:] + offsets[-1])
        _extend(self._lines, table.lines)
        _extend(self._pieces, table.pieces)
        _extend(self._first, table.first)
        if self._heads is not None and table.heads is not None:
            _extend(self._heads, table.heads)
        for column, names in self._names.items():
            labels = table.labels[column]
            new = numpy.array([names[name] for name in labels.names], dtype=numpy.int32)
            _extend(self._codes[column], new[labels.codes])

    def table(self) -> TreebankTable:
        return TreebankTable(
            self._paths,
            self._texts,
            numpy.asarray(self._lines),
            numpy.asarray(self._text_offsets),
            numpy.asarray(self._word_offsets),
            numpy.asarray(self._piece_offsets),
            numpy.asarray(self._pieces),
            numpy.asarray(self._first),
            None if self._heads is None else numpy.asarray(self._heads),
            {
                column: LabelColumn(list(names), numpy.asarray(self._codes[column]))
                for column, names in self._names.items()
            },
        )


def _extend(column: array, more: numpy.ndarray) -> None:
    column.frombytes(more.astype(column.typecode, copy=False).tobytes())
