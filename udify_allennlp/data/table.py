"""Treebanks as columns of numbers: about 35 bytes a word beside the text itself."""

import itertools
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Dict, List, Optional, Sequence, Tuple, Union, overload

import numpy

from udify_allennlp.text.conllu import Sentence, treebank_name

FORMS = "forms"
"""The column of the words themselves, where a table has it; it is no label."""
TREEBANK = "treebank"
"""The column of the treebank of each word, where a table has it."""


def namespace(column: str) -> str:
    """The vocabulary's namespace of a column of labels."""
    return "deprel_labels" if column == "deprels" else f"{column}_labels"


def ranges(starts: numpy.ndarray, counts: numpy.ndarray) -> numpy.ndarray:
    """`starts[0], starts[0] + 1, ...`, `counts[0]` numbers, then those from `starts[1]`, ..."""
    ends = numpy.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return numpy.arange(total) + numpy.repeat(starts - (ends - counts), counts)


@dataclass(frozen=True)
class LabelColumn:
    """The labels of all words as numbers that stand for strings."""

    names: List[str]
    """The distinct labels, in the order in which they first appear."""
    codes: numpy.ndarray
    """`(words,)` int32: each word's place in `names`."""


@dataclass(frozen=True)
class TreebankTable:
    """
    The sentences of some files. Words and wordpieces of all sentences stand one after the other;
    offsets say where each sentence begins and, in the last place, where the last one ends.
    """

    paths: List[str]
    texts: List[numpy.ndarray]
    """Of each file, the UTF-8 bytes of its sentences; perhaps mapped from the disk."""
    lines: numpy.ndarray
    """`(sentences,)` int32: the line of the file at which each starts; the first is 1."""
    text_offsets: numpy.ndarray
    """`(sentences + 1,)` int64, in bytes, through all `texts`."""
    word_offsets: numpy.ndarray
    """`(sentences + 1,)` int64."""
    piece_offsets: numpy.ndarray
    """`(sentences + 1,)` int64."""
    pieces: numpy.ndarray
    """`(wordpieces,)` int32, without special pieces."""
    first: numpy.ndarray
    """`(words,)` int32: the place of each word's first wordpiece among those of its sentence."""
    heads: Optional[numpy.ndarray]
    """`(words,)` int32, 0 is ROOT; `None` where they were not read."""
    labels: Dict[str, LabelColumn]

    def __len__(self) -> int:
        """How many sentences."""
        return len(self.lines)

    @property
    def words(self) -> int:
        """How many words."""
        return len(self.first)

    def words_of(self, row: int) -> slice:
        """Where the words of a sentence stand."""
        return slice(int(self.word_offsets[row]), int(self.word_offsets[row + 1]))

    def pieces_of(self, row: int) -> List[Tuple[int, ...]]:
        """The wordpieces of each word of a sentence."""
        start, end = self.piece_offsets[row : row + 2]
        pieces = self.pieces[start:end].tolist()
        first = [*self.first[self.words_of(row)].tolist(), len(pieces)]
        return [tuple(pieces[a:b]) for a, b in zip(first, first[1:])]

    def labels_of(self, row: int, column: str) -> List[str]:
        """The labels of the words of a sentence."""
        names = self.labels[column].names
        return [names[code] for code in self.labels[column].codes[self.words_of(row)].tolist()]

    @cached_property
    def _starts(self) -> List[int]:
        """Where the text of each file starts."""
        return [0, *itertools.accumulate(len(text) for text in self.texts[:-1])]

    @cached_property
    def treebanks(self) -> Tuple[List[str], numpy.ndarray]:
        """The names of the treebanks, and of each sentence the place of its own: `(sentences,)`."""
        codes = Codes()
        of_file = numpy.array(
            [codes[treebank_name(path)] for path in self.paths], dtype=numpy.int32
        )
        files = numpy.searchsorted(self._starts, self.text_offsets[:-1], side="right") - 1
        return list(codes), of_file[files]

    def with_treebanks(self) -> "TreebankTable":
        """The same with the column `TREEBANK`."""
        names, codes = self.treebanks
        column = LabelColumn(names, numpy.repeat(codes, numpy.diff(self.word_offsets)))
        return replace(self, labels={**self.labels, TREEBANK: column})

    def sentence(self, row: int) -> Sentence:
        """A sentence as its file has it, made anew from its text."""
        start, end = self.text_offsets[row : row + 2].tolist()
        # The last file that starts here or before: files without a sentence have no bytes.
        file = bisect_right(self._starts, start) - 1
        block = self.texts[file][start - self._starts[file] : end - self._starts[file]]
        return Sentence(block.tobytes().decode("utf-8"), self.paths[file], int(self.lines[row]))

    def head(self, count: int) -> "TreebankTable":
        """The first `count` sentences."""
        count = min(count, len(self))
        words, pieces = int(self.word_offsets[count]), int(self.piece_offsets[count])
        return TreebankTable(
            self.paths,
            self.texts,
            self.lines[:count],
            self.text_offsets[: count + 1],
            self.word_offsets[: count + 1],
            self.piece_offsets[: count + 1],
            self.pieces[:pieces],
            self.first[:words],
            None if self.heads is None else self.heads[:words],
            {
                name: LabelColumn(column.names, column.codes[:words])
                for name, column in self.labels.items()
            },
        )


class Codes(Dict[str, int]):
    """Numbers strings from 0 in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


class Sentences(Sequence[Sentence]):
    """Sentences of a table that are made when they are asked for: training never does."""

    def __init__(self, table: TreebankTable, rows: Sequence[int]) -> None:
        self._table = table
        self._rows = rows
        self._made: Dict[int, Sentence] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...

    @overload
    def __getitem__(self, index: slice) -> List[Sentence]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Sentence, List[Sentence]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = self._rows[index]
        if row not in self._made:
            self._made[row] = self._table.sentence(row)
        return self._made[row]
