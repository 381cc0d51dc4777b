"""Is one parse better than another beyond chance? The paired bootstrap over sentences."""

from typing import Dict, Iterator, NamedTuple, Sequence

import numpy as np

from udify_allennlp.scoring.counts import METRICS, SEGMENTATION, f1

SAMPLES = 10_000
_AT_ONCE = 2_000_000
"""Weights that are in memory at a time."""


class Difference(NamedTuple):
    """
    By how many points of F1 the second of two parses is better, `low` and `high` of the interval
    that holds the middle 95% of the samples, and `p`, how likely chance alone makes a difference
    as large in one way or the other.
    """

    points: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    first: Sequence[np.ndarray],
    second: Sequence[np.ndarray],
    samples: int = SAMPLES,
    seed: int = 0,
) -> Dict[str, Difference]:
    """
    What the second parse gains over the first, by metric (Efron and Tibshirani 1993, chapter 13;
    for parsing Berg-Kirkpatrick et al. 2012). In each sample the sentences of each treebank are
    drawn anew with replacement, the same ones for both. `p` counts the samples that lie as far from
    the difference seen as that lies from 0, on either side. What another training run would give
    is another question: see the spread of seeds.

    # Parameters

    first, second : `Sequence[np.ndarray]`
        `official_counts` of each treebank, of the same gold files. Of several treebanks, the
        differences are of the macro average.
    samples : `int`
    seed : `int`

    # Raises

    `ValueError` if the two are not of the same gold sentences.
    """
    if [counts[..., 0].tolist() for counts in first] != [c[..., 0].tolist() for c in second]:
        raise ValueError("the two are not of the same gold sentences. Score both by the same file.")
    rng = np.random.default_rng(seed)
    seen = np.mean([f1(b.sum(0)) - f1(a.sum(0)) for a, b in zip(first, second)], axis=0)
    drawn = np.zeros((samples, len(seen)))
    for a, b in zip(first, second):
        gains = [
            f1(_weigh(weights, b)) - f1(_weigh(weights, a))
            for weights in _draws(len(a), samples, rng)
        ]
        drawn += np.concatenate(gains) / len(first)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    # The sample that was seen counts as one: p is never 0.
    as_far = np.abs(drawn - seen) >= np.abs(seen) - 1e-9
    p = (1 + as_far.sum(axis=0)) / (1 + samples)
    columns = zip(*(values.tolist() for values in (seen, low, high, p)))
    return {name: Difference(*row) for name, row in zip(SEGMENTATION + METRICS, columns)}


def mean_of_runs(runs: Sequence[np.ndarray]) -> np.ndarray:
    """Counts of a treebank by several runs, as if of one: what the runs get right in the mean."""
    mean: np.ndarray = np.mean(runs, axis=0)
    return mean


def _draws(sentences: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """How often each sentence is in each sample, `(samples at a time, sentences)`."""
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
