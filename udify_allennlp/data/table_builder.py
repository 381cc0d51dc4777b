"""Sentences to a table, one by one."""

from array import array
from typing import Iterable, Mapping, Sequence

import numpy

from udify_allennlp.conllu import Sentence
from udify_allennlp.data.table import Codes, LabelColumn, TreebankTable


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
        self._lines = array("i")
        self._text_offsets, self._word_offsets, self._piece_offsets = (
            array("q", [0]) for _ in range(3)
        )
        self._pieces, self._first = array("i"), array("i")
        self._heads = array("i") if with_heads else None
        self._codes = {name: Codes() for name in columns}
        self._labels = {name: array("i") for name in columns}

    def add(
        self,
        sentence: Sentence,
        pieces: Iterable[Sequence[int]],
        heads: Iterable[int],
        labels: Mapping[str, Iterable[str]],
    ) -> None:
        """A sentence more: of each word the wordpieces, the head and the label in each column."""
        self._text += sentence.text.encode("utf-8")
        self._text_offsets.append(len(self._text))
        self._lines.append(sentence.line)
        start = len(self._pieces)
        for word in pieces:
            self._first.append(len(self._pieces) - start)
            self._pieces.extend(word)
        self._word_offsets.append(len(self._first))
        self._piece_offsets.append(len(self._pieces))
        if self._heads is not None:
            self._heads.extend(heads)
        for name, column in labels.items():
            self._labels[name].extend(map(self._codes[name].__getitem__, column))

    def table(self) -> TreebankTable:
        """The table of all sentences added."""
        return TreebankTable(
            [self._path],
            [numpy.frombuffer(bytes(self._text), dtype=numpy.uint8)],
            numpy.array(self._lines, dtype=numpy.int32),
            numpy.array(self._text_offsets, dtype=numpy.int64),
            numpy.array(self._word_offsets, dtype=numpy.int64),
            numpy.array(self._piece_offsets, dtype=numpy.int64),
            numpy.array(self._pieces, dtype=numpy.int32),
            numpy.array(self._first, dtype=numpy.int32),
            None if self._heads is None else numpy.array(self._heads, dtype=numpy.int32),
            {
                name: LabelColumn(list(self._codes[name]), numpy.array(codes, dtype=numpy.int32))
                for name, codes in self._labels.items()
            },
        )
