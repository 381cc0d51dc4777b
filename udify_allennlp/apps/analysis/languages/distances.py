"""Distances, nearest neighbours, clusters and maps of vectors; numpy arrays in and out."""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy


def centred_cosine_distances(vectors: numpy.ndarray) -> numpy.ndarray:
    """
    `1 - cos` of vectors `(n, dim)` from their mean, `(n, n)`, between 0 and 2: without it all are
    near each other, since the vectors of an encoder share one large component (Libovický, Rosa and
    Fraser 2019). One that is the mean itself is at 1 from all others.
    """
    centred = vectors - vectors.mean(0)
    norms = numpy.linalg.norm(centred, axis=1, keepdims=True)
    units = centred / numpy.where(norms > 0, norms, 1)
    distances = numpy.clip(1 - units @ units.T, 0, 2)
    numpy.fill_diagonal(distances, 0)
    return (distances + distances.T) / 2


def nearest(distances: numpy.ndarray, row: int, among: Sequence[int]) -> list[int]:
    """The rows of `among` without `row` itself, the nearest first."""
    return sorted((other for other in among if other != row), key=lambda i: distances[row, i])


def cluster(distances: numpy.ndarray, method: str = "average") -> numpy.ndarray:
    """
    The tree of average linkage (UPGMA), or of another `method` such as `single`, as scipy's
    `linkage` gives it, `(n - 1, 4)`; branches are turned so that neighbouring leaves are as near as
    they can be.
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return linkage(squareform(distances), method, optimal_ordering=True)


def plane(distances: numpy.ndarray) -> tuple[numpy.ndarray, float]:
    """
    Points `(n, 2)` whose distances are most like `distances` `(n, n)`, and the share of variance
    that the plane shows (classical multidimensional scaling, Torgerson 1952). `distances` are taken
    for halves of squared Euclidean ones, as cosine distances are between vectors of length 1.
    """
    centring = numpy.eye(len(distances)) - 1 / len(distances)
    values, axes = numpy.linalg.eigh(-centring @ distances @ centring)
    values, axes = numpy.maximum(values[::-1], 0), axes[:, ::-1]
    # Either sign is right: the one that makes the largest number of an axis positive is taken.
    axes = axes * numpy.sign(axes[numpy.abs(axes).argmax(0), range(axes.shape[1])])
    return axes[:, :2] * numpy.sqrt(values[:2]), float(values[:2].sum() / (values.sum() or 1))


class Correlation(NamedTuple):
    """Spearman's rank correlation of `n` points, and where it lies with 95% confidence."""

    n: int
    spearman: Optional[float]
    low: Optional[float]
    high: Optional[float]


def correlation(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """
    Returns the rank correlation with the interval of Bonett and Wright 2000 (Fisher's z, a variance
    of `(1 + r^2 / 2) / (n - 3)`), which is wide for few points. Below 5 points, or where all of `x`
    or of `y` are equal, there is none.
    """
    from scipy.stats import spearmanr

    if len(x) < 5 or min(len(set(x)), len(set(y))) < 2:
        return Correlation(len(x), None, None, None)
    r = float(spearmanr(x, y).statistic)
    reach = 1.96 * numpy.sqrt((1 + r * r / 2) / (len(x) - 3))
    z = numpy.arctanh(numpy.clip(r, -1 + 1e-12, 1 - 1e-12))
    return Correlation(len(x), r, float(numpy.tanh(z - reach)), float(numpy.tanh(z + reach)))
