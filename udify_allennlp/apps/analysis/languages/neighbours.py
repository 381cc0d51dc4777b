"""Treebanks by their distance from each other, and from the training treebanks of a model."""

from collections.abc import Sequence
from typing import Any, Optional

import numpy

from udify_allennlp.apps.analysis.languages.distances import Correlation, correlation, nearest
from udify_allennlp.apps.analysis.output.score_files import SCORES, Scores

COLUMNS = (
    "treebank",
    "trained",
    "nearest",
    "distance",
    "next",
    "nearest_trained",
    "distance_trained",
    *SCORES,
)
"""Columns of `Neighbours.rows`; `next` are the four after the nearest."""

_NEXT = 4


class Neighbours:
    """
    # Parameters

    names : `Sequence[str]`
        Names of at least two treebanks.
    distances : `numpy.ndarray`
        Distances between these, `(n, n)`.
    trained : `Set[str]`
        The training treebanks of the model; empty if unknown.
    """

    def __init__(self, names: Sequence[str], distances: numpy.ndarray, trained: set[str]) -> None:
        self.names = list(names)
        self.distances = distances
        self.trained = [name for name in names if name in trained]
        self.zero_shot = [name for name in names if name not in trained] if self.trained else []

    def nearest(self, name: str, among: Optional[Sequence[str]] = None) -> list[str]:
        """Returns the other treebanks, or those `among` some, the nearest first."""
        rows = [self.names.index(other) for other in (self.names if among is None else among)]
        return [self.names[row] for row in nearest(self.distances, self.names.index(name), rows)]

    def distance(self, name: str, other: str) -> float:
        return float(self.distances[self.names.index(name), self.names.index(other)])

    def distance_trained(self, name: str) -> Optional[float]:
        """Returns the distance to the nearest other training treebank; `None` if there is none."""
        return next((self.distance(name, it) for it in self.nearest(name, self.trained)), None)

    def rows(self, scores: Scores) -> list[dict[str, Any]]:
        """Returns a row of `COLUMNS` for each treebank; unknown values are `None`."""
        return [dict(zip(COLUMNS, self._row(name, scores))) for name in self.names]

    def _row(self, name: str, scores: Scores) -> list[Any]:
        first, *others = self.nearest(name)
        trained = self.nearest(name, self.trained)
        return [
            name,
            ("yes" if name in self.trained else "no") if self.trained else None,
            first,
            self.distance(name, first),
            " ".join(others[:_NEXT]),
            trained[0] if trained else None,
            self.distance_trained(name),
            *(scores.get(name, {}).get(kind) for kind in SCORES),
        ]

    def correlation(self, scores: Scores) -> Correlation:
        """
        Returns the correlation between LAS and the distance to the training data over the zero-shot
        treebanks.
        """
        points = self.points(scores)
        return correlation(*zip(*points.values())) if points else correlation([], [])

    def points(self, scores: Scores) -> dict[str, Sequence[float]]:
        """
        Returns the `distance_trained` and the LAS of each zero-shot treebank that has a score.
        """
        return {
            name: (distance, scores[name]["LAS"])
            for name in self.zero_shot
            if name in scores and (distance := self.distance_trained(name)) is not None
        }
