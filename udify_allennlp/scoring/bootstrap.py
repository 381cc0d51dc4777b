"""The significance of the difference between two parses, by the paired bootstrap over sentences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from udify_allennlp.scoring.counts import METRICS, SEGMENTATION, f1

SAMPLES = 10_000
_AT_ONCE = 2_000_000
"""Number of weights in memory at a time."""


class Difference(NamedTuple):
    """
    The gain in F1 of the second of two parses, in points, `low` and `high` of the interval with the
    middle 95% of the samples, and `p`, the probability of a difference as large in either direction
    by chance.
    """

    points: float
    low: float
    high: float
    p: float


class Resampled(NamedTuple):
    """
    The scores of a parse, `(metrics,)`, those of each sample, `(samples, metrics)`, and their
    basis: the number of items to find in each gold sentence of each treebank.
    """

    seen: np.ndarray
    drawn: np.ndarray
    gold: list[np.ndarray]


def resample(parses: Sequence[np.ndarray], samples: int = SAMPLES, seed: int = 0) -> Resampled:
    """
    Returns the scores of a parse of each treebank, `official_counts` of its gold file, in samples
    of its sentences drawn with replacement; for several treebanks, the macro average. Samples with
    one `seed` have the same sentences for every parse, so their scores are paired.
    """
    rng = np.random.default_rng(seed)
    of_treebanks = [
        np.concatenate([f1(_weigh(weights, parse)) for weights in _draws(len(parse), samples, rng)])
        for parse in parses
    ]
    seen = np.mean([f1(parse.sum(axis=0)) for parse in parses], axis=0)
    return Resampled(seen, np.mean(of_treebanks, axis=0), [parse[..., 0] for parse in parses])


def difference(
    first: Resampled, second: Resampled, names: Sequence[str] = SEGMENTATION + METRICS
) -> dict[str, Difference]:
    """
    Returns the gain of the second parse over the first, for the metrics `names` of their counts:
    the paired bootstrap (Efron and Tibshirani 1993, chapter 13; for parsing Berg-Kirkpatrick et al.
    2012). `p` is the share of samples at least as far from the observed difference as this is from
    0, on either side. Variation between training runs is not included: see the standard deviation
    over seeds.

    # Raises

    `ValueError` if the gold sentences of the two differ.
    """
    if len(first.gold) != len(second.gold) or not all(map(np.array_equal, first.gold, second.gold)):
        raise ValueError("the gold sentences of the two differ. Score both by the same file.")
    seen, drawn = second.seen - first.seen, second.drawn - first.drawn
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    # The sample that was seen counts as one: p is never 0.
    as_far = np.abs(drawn - seen) >= np.abs(seen) - 1e-9
    p = (1 + as_far.sum(axis=0)) / (1 + len(drawn))
    columns = zip(*(values.tolist() for values in (seen, low, high, p)))
    return {name: Difference(*row) for name, row in zip(names, columns)}


def paired_bootstrap(
    first: Sequence[np.ndarray],
    second: Sequence[np.ndarray],
    samples: int = SAMPLES,
    seed: int = 0,
) -> dict[str, Difference]:
    """Returns `difference` of two parses; for more, resample each once."""
    return difference(resample(first, samples, seed), resample(second, samples, seed))


def mean_of_runs(runs: Sequence[np.ndarray]) -> np.ndarray:
    """
    Returns the counts of a treebank by several runs, as if by one: the mean of their correct items.
    """
    mean: np.ndarray = np.mean(runs, axis=0)
    return mean


def _draws(sentences: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """
    Yields the number of times that each sentence is in each sample,
    `(samples at a time, sentences)`.
    """
    at_once = max(1, _AT_ONCE // max(sentences, 1))
    for start in range(0, samples, at_once):
        size = min(at_once, samples - start)
        # Numbers of sample and sentence in one: a count of all is faster than one of each sample.
        drawn = (
            rng.integers(sentences, size=(size, sentences)) if sentences else np.zeros((size, 0))
        )
        drawn += np.arange(size)[:, None] * sentences
        counted = np.bincount(drawn.ravel(), minlength=size * sentences)
        yield counted.reshape(size, sentences).astype(float)


def _weigh(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Counts of samples, `(samples, metrics, 3)`."""
    flat = weights @ counts.reshape(len(counts), -1)
    return flat.reshape(len(weights), *counts.shape[1:])
