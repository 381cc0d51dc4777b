"""The log-probabilities of the labels of a batch's words, each computed once."""

from collections.abc import Callable, Iterable, Iterator
from typing import Optional

import numpy


class LabelScores:
    """
    The log-probabilities of the labels that the words of a batch can get. Few words need them:
    those whose best label is rare, unknown or not among their own.

    # Parameters

    log_prob : `Callable[[numpy.ndarray], numpy.ndarray]`
        Returns, for the positions of some words, `(n,)`, the log-probabilities (nats) of the
        labels, `(n, labels)`; -inf for labels that are never predicted for them.
    at_once : `int`
        Number of words of which it is asked together.
    labels : `Optional[numpy.ndarray]`
        The numbers of the labels that it scores, ascending, `(labels,)`; by default all.
    """

    def __init__(
        self,
        log_prob: Callable[[numpy.ndarray], numpy.ndarray],
        at_once: int,
        labels: Optional[numpy.ndarray] = None,
    ) -> None:
        self._log_prob, self._at_once, self.labels = log_prob, at_once, labels
        self._rows: dict[int, numpy.ndarray] = {}

    def rows(self, places: Iterable[int]) -> Iterator[tuple[int, numpy.ndarray]]:
        """Yields words, by position, with their log-probabilities, `(labels,)`."""
        places = list(places)
        if self.labels is None:  # of all labels they would take much memory
            for part in self._parts(places):
                yield from zip(part, self._log_prob(numpy.array(part)))
            return
        for part in self._parts([place for place in places if place not in self._rows]):
            self._rows.update(zip(part, self._log_prob(numpy.array(part))))
        yield from ((place, self._rows[place]) for place in places)

    def possible(self, row: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns the numbers of the labels that a word can get, ascending, and their
        log-probabilities in its row, `(n,)` each.
        """
        columns = numpy.flatnonzero(row > -numpy.inf)
        return columns if self.labels is None else self.labels[columns], row[columns]

    def best(self, row: numpy.ndarray) -> int:
        """Returns the number of the most probable label of a row."""
        column = int(row.argmax())
        return column if self.labels is None else int(self.labels[column])

    def of(self, row: numpy.ndarray, labels: numpy.ndarray) -> numpy.ndarray:
        """Returns the log-probabilities of labels by number, `(n,)`; -inf of any other label."""
        if self.labels is None:
            return row[labels]
        columns = self.labels.searchsorted(labels).clip(max=len(self.labels) - 1)
        return numpy.where(self.labels[columns] == labels, row[columns], -numpy.inf)

    def _parts(self, places: list[int]) -> Iterator[list[int]]:
        starts = range(0, len(places), self._at_once)
        return (places[start : start + self._at_once] for start in starts)
