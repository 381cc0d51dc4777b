"""The windows of wordpieces that an encoder reads."""

from typing import NamedTuple

import numpy


class Framing(NamedTuple):
    """The format of an encoder's input around the wordpieces, and its maximum length."""

    start_id: int
    end_id: int
    pad_id: int
    max_pieces: int
    """Number of pieces of a window, including special ones; at least 4."""

    @property
    def size(self) -> int:
        """Number of text pieces in a window."""
        return self.max_pieces - 2

    @property
    def step(self) -> int:
        """The number of pieces that a window keeps if it is not the last one of its sentence."""
        return self.max_pieces // 2 - 1

    def windows(self, pieces: numpy.ndarray) -> numpy.ndarray:
        """Returns the number of windows of sentences with these numbers of pieces."""
        return 1 + numpy.maximum(-(-(pieces - self.size) // self.step), 0)
