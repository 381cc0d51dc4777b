"""Distances, nearest neighbours, clusters and maps of vectors; numpy arrays in and out."""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy


def centred_cosine_distances(vectors: numpy.ndarray) -> numpy.ndarray:
    """
    Returns `1 - cos` of vectors `(n, dim)` minus their mean, `(n, n)`, between 0 and 2: without the
    subtraction all are close to each other, since the vectors of an encoder share one large
    component (Libovický, Rosa and Fraser 2019). A vector equal to the mean is at distance 1 from
    all others.
    """
    centred = vectors - vectors.mean(0)
    norms = numpy.linalg.norm(centred, axis=1, keepdims=True)
    units = centred / numpy.where(norms > 0, norms, 1)
    distances = numpy.clip(1 - units @ units.T, 0, 2)
    numpy.fill_diagonal(distances, 0)
    return (distances + distances.T) / 2


def nearest(distances: numpy.ndarray, row: int, among: Sequence[int]) -> list[int]:
    """Returns the rows of `among` without `row` itself, the nearest first."""
    return sorted((other for other in among if other != row), key=lambda i: distances[row, i])


def cluster(distances: numpy.ndarray, method: str = "average") -> numpy.ndarray:
    """
    Returns the tree of average linkage (UPGMA), or of another `method` such as `single`, in the
    form of scipy's `linkage`, `(n - 1, 4)`; branches are ordered so that neighbouring leaves are as
    close as possible.
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return linkage(squareform(distances), method, optimal_ordering=True)


def plane(distances: numpy.ndarray) -> tuple[numpy.ndarray, float]:
    """
    Returns points `(n, 2)` whose distances best approximate `distances` `(n, n)`, and the share of
    variance that the plane explains (classical multidimensional scaling, Torgerson 1952).
    `distances` are treated as halves of squared Euclidean distances, as cosine distances between
    vectors of length 1 are.
    """
    centring = numpy.eye(len(distances)) - 1 / len(distances)
    values, axes = numpy.linalg.eigh(-centring @ distances @ centring)
    values, axes = numpy.maximum(values[::-1], 0), axes[:, ::-1]
    # Either sign is right: the one that makes the largest number of an axis positive is taken.
    axes = axes * numpy.sign(axes[numpy.abs(axes).argmax(0), range(axes.shape[1])])
    return axes[:, :2] * numpy.sqrt(values[:2]), float(values[:2].sum() / (values.sum() or 1))


class Correlation(NamedTuple):
    """Spearman's rank correlation of `n` points, with its 95% confidence interval."""

    n: int
    spearman: Optional[float]
    low: Optional[float]
    high: Optional[float]


def correlation(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """
    Returns the rank correlation with the interval of Bonett and Wright 2000 (Fisher's z, a variance
    of `(1 + r^2 / 2) / (n - 3)`), which is wide for few points. It is undefined for fewer than 5
    points, and if all values of `x` or of `y` are equal.
    """
    from scipy.stats import spearmanr

    if len(x) < 5 or min(len(set(x)), len(set(y))) < 2:
        return Correlation(len(x), None, None, None)
    r = float(spearmanr(x, y).statistic)
    reach = 1.96 * numpy.sqrt((1 + r * r / 2) / (len(x) - 3))
    z = numpy.arctanh(numpy.clip(r, -1 + 1e-12, 1 - 1e-12))
    return Correlation(len(x), r, float(numpy.tanh(z - reach)), float(numpy.tanh(z + reach)))
