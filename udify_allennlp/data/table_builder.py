"""Sentences to a table, one by one, and tables of files to one table."""

from array import array
from itertools import islice
from typing import Dict, Iterable, List, Mapping, Sequence

import numpy

from udify_allennlp.data.table import Codes, LabelColumn, TreebankTable
from udify_allennlp.text.conllu import Sentence


class TableBuilder:
    """
    A table of one file, sentence by sentence.

    # Parameters

    path : `str`
    columns : `Sequence[str]`
        The columns of labels that each sentence comes with.
    with_heads : `bool`
        Whether each sentence comes with heads.
    """

    def __init__(self, path: str, columns: Sequence[str], with_heads: bool) -> None:
        self._path = path
        self._text = bytearray()
        self._columns = _Columns(columns, with_heads)

    def add(
        self,
        sentence: Sentence,
        pieces: Iterable[Sequence[int]],
        heads: Iterable[int],
        labels: Mapping[str, Iterable[str]],
    ) -> None:
        """A sentence more: of each word the wordpieces, the head and the label in each column."""
        columns = self._columns
        self._text += sentence.text.encode("utf-8")
        columns.text_offsets.append(len(self._text))
        columns.lines.append(sentence.line)
        start = len(columns.pieces)
        for word in pieces:
            columns.first.append(len(columns.pieces) - start)
            columns.pieces.extend(word)
        columns.word_offsets.append(len(columns.first))
        columns.piece_offsets.append(len(columns.pieces))
        if columns.heads is not None:
            columns.heads.extend(heads)
        for name, column in labels.items():
            columns.codes[name].extend(map(columns.names[name].__getitem__, column))

    def table(self) -> TreebankTable:
        """The table of all sentences added; it takes no further ones."""
        text = numpy.frombuffer(bytes(self._text), dtype=numpy.uint8)
        return self._columns.table([self._path], [text])


def join(tables: Iterable[TreebankTable]) -> TreebankTable:
    """
    One table of all sentences, in their order. There is at least one table, and all have the same
    columns. Each is let go before the next is asked for, so that memory never holds columns twice.
    """
    coming = iter(tables)
    waiting = list(islice(coming, 2))
    if len(waiting) == 1:
        return waiting[0]
    paths: List[str] = []
    texts: List[numpy.ndarray] = []
    columns = _Columns(waiting[0].labels, waiting[0].heads is not None)
    while waiting:
        paths += waiting[0].paths
        texts += waiting[0].texts
        columns.extend(waiting.pop(0))
        waiting.extend(islice(coming, 1))
    return columns.table(paths, texts)


class _Columns:
    """The columns of a `TreebankTable` while they grow, in place; empty at first."""

    def __init__(self, labels: Iterable[str], with_heads: bool) -> None:
        self.lines, self.pieces, self.first = array("i"), array("i"), array("i")
        self.text_offsets, self.word_offsets, self.piece_offsets = (
            array("q", [0]) for _ in range(3)
        )
        self.heads = array("i") if with_heads else None
        self.names = {name: Codes() for name in labels}
        self.codes: Dict[str, array] = {name: array("i") for name in self.names}

    def extend(self, table: TreebankTable) -> None:
        """The columns of a table behind these."""
        for offsets, more in (
            (self.text_offsets, table.text_offsets),
            (self.word_offsets, table.word_offsets),
            (self.piece_offsets, table.piece_offsets),
        ):
            _extend(offsets, more[1:] + offsets[-1])
        _extend(self.lines, table.lines)
        _extend(self.pieces, table.pieces)
        _extend(self.first, table.first)
        if self.heads is not None and table.heads is not None:
            _extend(self.heads, table.heads)
        for column, codes in self.names.items():
            labels = table.labels[column]
            new = numpy.array([codes[name] for name in labels.names], dtype=numpy.int32)
            _extend(self.codes[column], new[labels.codes])

    def table(self, paths: List[str], texts: List[numpy.ndarray]) -> TreebankTable:
        """A table of these very columns, not copied: from now on they cannot grow."""
        return TreebankTable(
            paths,
            texts,
            numpy.asarray(self.lines),
            numpy.asarray(self.text_offsets),
            numpy.asarray(self.word_offsets),
            numpy.asarray(self.piece_offsets),
            numpy.asarray(self.pieces),
            numpy.asarray(self.first),
            None if self.heads is None else numpy.asarray(self.heads),
            {
                name: LabelColumn(list(codes), numpy.asarray(self.codes[name]))
                for name, codes in self.names.items()
            },
        )


def _extend(column: array, more: numpy.ndarray) -> None:
    column.frombytes(more.astype(column.typecode, copy=False).tobytes())
