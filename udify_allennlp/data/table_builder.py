"""Building of a table from sentences, and of one table from the tables of files."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Optional

import numpy

from udify_allennlp.data.columns import ColumnSpec
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.sentence_source import Told, told_of
from udify_allennlp.data.table import Codes, Column, TreebankTable
from udify_allennlp.text.sentence import Sentence


class TableBuilder:
    """
    A table that is built sentence by sentence.

    # Parameters

    specs : `Iterable[ColumnSpec]`
        The columns for which each sentence has values.
    path : `Optional[str]`
        The file that the sentences are read from, so that the table holds their text. Without it,
        the table keeps the sentences themselves.
    """

    def __init__(self, specs: Iterable[ColumnSpec], path: Optional[str] = None) -> None:
        self._path = path
        self._text = bytearray()
        self._kept: list[Sentence] = []
        self._growing = _Growing({spec.name: (spec.unit, bool(spec.namespace)) for spec in specs})

    def add(self, sentence: Sentence, values: Mapping[str, Sequence[Any]]) -> None:
        """Adds a sentence, and its numbers or strings in each column."""
        if self._path is None:
            self._kept.append(sentence)
        else:
            self._text += sentence.text.encode("utf-8")
        self._growing.add(sentence, len(self._text), values)

    def table(self) -> TreebankTable:
        """Returns the table of all added sentences; no further ones can be added."""
        if self._path is None:
            return self._growing.table([], [], self._kept)
        return self._growing.table(
            [self._path], [numpy.frombuffer(bytes(self._text), dtype=numpy.uint8)]
        )


def table_of(
    sentences: Iterable[Sentence],
    schema: Schema,
    pieces: Callable[[Sentence], Optional[Iterable[Sequence[int]]]],
    origins: Told,
) -> TreebankTable:
    """
    Returns a table of sentences in memory, which are not checked.

    # Parameters

    sentences : `Iterable[Sentence]`
    schema : `Schema`
        The columns to read.
    pieces : `Callable[[Sentence], Optional[Iterable[Sequence[int]]]]`
        Returns the wordpieces of each word of a sentence, if the schema has a framing.
    origins : `Told`
        The `treebank` or `lang` of all sentences or of each, which takes precedence over the
        schema's sources; ignored if the schema does not have it, or if it is empty.
    """
    builder = TableBuilder(schema.specs)
    for number, sentence in enumerate(sentences):
        values = schema.values(sentence, pieces(sentence))
        told = {name: told_of(origins, name, number) for name in origins}
        values.update({name: [origin] for name, origin in told.items() if origin})
        builder.add(sentence, values)
    return builder.table()


def join(tables: Iterable[TreebankTable]) -> TreebankTable:
    """
    Returns one table of all sentences, in order, from at least one table with the same columns.
    Each is released before the next is requested, so that memory never holds columns twice.
    """
    coming = iter(tables)
    waiting = list(islice(coming, 2))
    if len(waiting) == 1:
        return waiting[0]
    paths: list[str] = []
    texts: list[numpy.ndarray] = []
    kept: Optional[list[Sentence]] = None if waiting[0].kept is None else []
    growing = _Growing(
        {
            name: (column.unit, column.names is not None)
            for name, column in waiting[0].columns.items()
        }
    )
    while waiting:
        paths += waiting[0].paths
        texts += waiting[0].texts
        if kept is not None:
            kept += waiting[0].kept or []
        growing.extend(waiting.pop(0))
        waiting.extend(islice(coming, 1))
    return growing.table(paths, texts, kept)


class _Growing:
    """
    The columns of a `TreebankTable` while they grow, in place; empty at first.

    # Parameters

    columns : `Dict[str, Tuple[str, bool]]`
        By name, the unit of each and true if its values are strings.
    """

    def __init__(self, columns: dict[str, Any]) -> None:
        self.lines = array("i")
        self.text_offsets, self.word_offsets = array("q", [0]), array("q", [0])
        self.units = {name: unit for name, (unit, _) in columns.items()}
        self.names = {name: Codes() for name, (_, is_text) in columns.items() if is_text}
        self.codes: dict[str, array] = {name: array("i") for name in columns}
        self.offsets = {name: array("q", [0]) for name in columns if self.units[name] == "row"}

    def add(self, sentence: Sentence, end: int, values: Mapping[str, Sequence[Any]]) -> None:
        """Adds a sentence whose text ends at `end`."""
        self.text_offsets.append(end)
        self.lines.append(sentence.line)
        self.word_offsets.append(self.word_offsets[-1] + len(sentence))
        for name, codes in self.codes.items():
            cells = values[name]
            codes.extend(map(self.names[name].__getitem__, cells) if name in self.names else cells)
            if name in self.offsets:
                self.offsets[name].append(len(codes))

    def extend(self, table: TreebankTable) -> None:
        """Adds the columns of a table after these."""
        pairs = [
            (self.text_offsets, table.text_offsets),
            (self.word_offsets, table.word_offsets),
            *((lengths, table.offsets(name)) for name, lengths in self.offsets.items()),
        ]
        for offsets, more in pairs:
            _extend(offsets, more[1:] + offsets[-1])
        _extend(self.lines, table.lines)
        for name, codes in self.codes.items():
            column = table.columns[name]
            more = column.codes
            if column.names is not None:
                numbers = self.names[name]
                more = numpy.array([numbers[text] for text in column.names], dtype=numpy.int32)[
                    more
                ]
            _extend(codes, more)

    def table(
        self,
        paths: list[str],
        texts: list[numpy.ndarray],
        kept: Optional[Sequence[Sentence]] = None,
    ) -> TreebankTable:
        """Returns a table of these columns without copying: they cannot grow any more."""
        return TreebankTable(
            paths,
            texts,
            numpy.asarray(self.lines),
            numpy.asarray(self.text_offsets),
            numpy.asarray(self.word_offsets),
            {
                name: Column(
                    self.units[name],
                    numpy.asarray(codes),
                    list(self.names[name]) if name in self.names else None,
                    numpy.asarray(self.offsets[name]) if name in self.offsets else None,
                )
                for name, codes in self.codes.items()
            },
            kept,
        )


def _extend(column: array, more: numpy.ndarray) -> None:
    column.frombytes(more.astype(column.typecode, copy=False).tobytes())
