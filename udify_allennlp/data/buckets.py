"""Sizes of sentences, and their division into batches."""

from typing import NamedTuple

import numpy

# A batch ends early where more than an eighth of it would be padding; but padding is cheaper than
# one more batch while it is less than this many wordpieces.
_MOST_PADDING = 1 / 8
_CHEAP_PADDING = 64


class Sizes(NamedTuple):
    """
    The cost of sentences for an encoder when they are batched, including special pieces. For an
    encoder that takes words, a sentence is one window, and pieces are words.
    """

    windows: numpy.ndarray
    """`(sentences,)`: the number of windows of each."""
    widths: numpy.ndarray
    """`(sentences,)`: the pieces of its widest window."""
    pieces: numpy.ndarray
    """`(sentences,)`: the pieces of all its windows."""

    def of(self, rows: numpy.ndarray) -> "Sizes":
        """Returns the sizes of some of the sentences, `(n,)`."""
        return Sizes(self.windows[rows], self.widths[rows], self.pieces[rows])


def cut(sizes: Sizes, order: numpy.ndarray, batch_size: int, most: int) -> list[list[int]]:
    """
    Returns the sentences of each batch, in this order: at most `batch_size` of them and `most`
    wordpieces with padding, unless one sentence has more.
    """
    batches: list[list[int]] = []
    rows = width = filled = 0
    columns = (order, *(column[order] for column in sizes))
    for i, *size in zip(*(column.tolist() for column in columns)):
        rows, width, filled = rows + size[0], max(width, size[1]), filled + size[2]
        cells = rows * width
        padding = cells - filled
        if (
            not batches
            or len(batches[-1]) == batch_size
            or cells > most
            or padding > max(_CHEAP_PADDING, _MOST_PADDING * cells)
        ):
            batches.append([])
            rows, width, filled = size
        batches[-1].append(i)
    return batches
