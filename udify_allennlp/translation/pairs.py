"""Pairs of sentences in many directions, as arrays: text aligned in several ways is stored once."""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.data.buckets import Sizes
from udify_allennlp.translation.aligned_text import (
    AlignedFiles,
    Direction,
    directions_of,
    read_aligned,
)
from udify_allennlp.translation.subwords import Subwords


class Pair(NamedTuple):
    """A sentence and its translation; the latter is empty in prediction."""

    direction: Direction
    source: list[int]
    """Numbers of subwords, without code and `</s>`."""
    target: list[int]
    source_text: str = ""
    target_text: str = ""


class _Text:
    """The lines of one file, and the numbers of their subwords in one array."""

    def __init__(self, lines: list[str], subwords: Subwords) -> None:
        self.lines = lines
        numbers = subwords.numbers(lines)
        self.lengths = numpy.fromiter(map(len, numbers), dtype=numpy.int64, count=len(lines))
        self._ends = self.lengths.cumsum()
        flat = (number for line in numbers for number in line)
        self._numbers = numpy.fromiter(flat, dtype=numpy.int32, count=int(self.lengths.sum()))

    def numbers(self, line: int) -> list[int]:
        end = self._ends[line]
        return list(map(int, self._numbers[end - self.lengths[line] : end]))


class _Block(NamedTuple):
    """Two files, one the translation of the other."""

    direction: int
    source: _Text
    target: _Text


class PairTable:
    """
    The pairs of aligned files, in the order of files, directions and lines. Pairs with an empty
    side, or with more than `max_pieces` subwords on a side, are left out.

    # Parameters

    texts : `Sequence[Tuple[AlignedFiles, Dict[str, List[str]]]]`
        Files and their lines by language.
    subwords : `Subwords`
    patterns : `Optional[Sequence[str]]`
        See `directions_of`.
    max_pieces : `Optional[int]`
    """

    def __init__(
        self,
        texts: Sequence[tuple[AlignedFiles, dict[str, list[str]]]],
        subwords: Subwords,
        patterns: Optional[Sequence[str]] = None,
        max_pieces: Optional[int] = None,
    ) -> None:
        self.names = list(dict.fromkeys(files.name for files, _ in texts))
        """Names of the files; see `AlignedFiles`."""
        self.directions = sorted(
            {each for files, _ in texts for each in directions_of(files, patterns)}
        )
        self.left_out = 0
        """Number of pairs that are too long."""
        self._blocks: list[_Block] = []
        found: list[tuple[numpy.ndarray, numpy.ndarray]] = []
        for files, lines in texts:
            chosen = directions_of(files, patterns)
            langs = {lang for direction in chosen for lang in direction}
            known = {lang: _Text(lines[lang], subwords) for lang in sorted(langs)}
            for direction in chosen:
                source, target = (known[lang] for lang in direction)
                both = numpy.minimum(source.lengths, target.lengths) > 0
                longest = numpy.maximum(source.lengths, target.lengths)
                fits = both & (longest <= (max_pieces or longest.max(initial=0)))
                self.left_out += int(both.sum() - fits.sum())
                rows = numpy.flatnonzero(fits)
                found.append((numpy.full(len(rows), len(self._blocks)), rows))
                number = self.directions.index(direction)
                self._blocks.append(_Block(number, source, target))
        empty = numpy.zeros(0, dtype=numpy.int64)
        self._block_of, self._lines = (
            numpy.concatenate([empty, *(each[i] for each in found)]) for i in (0, 1)
        )

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def groups(self) -> numpy.ndarray:
        """`(pairs,)`: the number of each pair's direction, in `directions`."""
        numbers = numpy.array([block.direction for block in self._blocks], dtype=numpy.int64)
        return numbers.take(self._block_of)

    def sizes(self) -> Sizes:
        """Returns the cost of pairs: the subwords of the longer side, with code and `</s>`."""
        lengths = numpy.zeros(len(self), dtype=numpy.int64)
        for number, block in enumerate(self._blocks):
            rows = self._block_of == number
            lines = self._lines[rows]
            longer = numpy.maximum(block.source.lengths[lines], block.target.lengths[lines])
            lengths[rows] = longer + 2
        return Sizes(numpy.ones_like(lengths), lengths, lengths)

    def __getitem__(self, row: int) -> Pair:
        block, line = self._blocks[self._block_of[row]], int(self._lines[row])
        return Pair(
            self.directions[block.direction],
            block.source.numbers(line),
            block.target.numbers(line),
            block.source.lines[line],
            block.target.lines[line],
        )


def read_texts(
    files: Sequence[AlignedFiles], patterns: Optional[Sequence[str]] = None
) -> list[tuple[AlignedFiles, dict[str, list[str]]]]:
    """
    Returns files with their lines, in languages that occur in a direction. Raises the errors of
    `read_aligned`.
    """
    found = []
    for each in files:
        langs = {lang for direction in directions_of(each, patterns) for lang in direction}
        if langs:
            found.append((each, read_aligned(each, langs)))
    return found
