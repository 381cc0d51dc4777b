"""
Word alignment of translated sentences by their own statistics: the model of fast_align (Dyer,
Chahuneau and Smith 2013, "A simple, fast, and effective reparameterization of IBM Model 2").
"""

from collections.abc import Sequence

import numpy
import torch

Words = Sequence[str]
ITERATIONS = 5
TENSION = 4.0
"""The preference of the prior for the diagonal; fast_align starts from it and may change it."""
NULL = 0.08
"""Prior probability that a target word translates nothing."""
_ALPHA = 0.01
"""The parameter of the Dirichlet prior over target words, as in `fast_align -v`."""


def align_words(pairs: Sequence[tuple[Words, Words]]) -> list[list[int]]:
    """
    Returns for each pair, and for each of its target words, the index of the source word that it
    translates; -1 if none. Five iterations of EM on the pairs themselves, so a few thousand are
    needed, or few different words.

    Our choice: the tension is fixed, and words are compared in lower case.

    # Parameters

    pairs : `Sequence[Tuple[Sequence[str], Sequence[str]]]`
    """
    links = _Links(pairs)
    scores = links.prior / numpy.maximum(links.spread(links.totals(links.prior)), 1e-300)
    for _ in range(ITERATIONS):
        counts = numpy.bincount(links.entry, weights=scores, minlength=links.entries)
        translation = links.translation(counts)
        scores = links.prior * translation[links.entry]
        scores /= numpy.maximum(links.spread(links.totals(scores)), 1e-300)
    return links.best(scores)


class _Links:
    """All pairs of a target word with a source word of its sentence, or with none, in one array."""

    def __init__(self, pairs: Sequence[tuple[Words, Words]]) -> None:
        numbers: dict[str, int] = {}

        def ids(words: Words) -> numpy.ndarray:
            word_ids = [numbers.setdefault(word.lower(), len(numbers) + 1) for word in words]
            return numpy.array(word_ids, dtype=numpy.int64)

        sources, targets, priors, self._shapes = [], [], [], []
        for source, target in pairs:
            shape = len(target), len(source) + 1
            self._shapes.append(shape)
            with_null = numpy.concatenate([[0], ids(source)])
            sources.append(numpy.broadcast_to(with_null, shape).ravel())
            targets.append(numpy.broadcast_to(ids(target)[:, None], shape).ravel())
            priors.append(_prior(*shape).ravel())
        empty = numpy.zeros(0, dtype=numpy.int64)
        pair_ids = numpy.concatenate([empty, *sources]) * (len(numbers) + 1)
        unique, self.entry = numpy.unique(
            pair_ids + numpy.concatenate([empty, *targets]), return_inverse=True
        )
        self.entries = len(unique)
        self.prior = numpy.concatenate([numpy.zeros(0), *priors])
        """The prior probability of each link."""
        self._source_of_entry = unique // (len(numbers) + 1)
        widths = numpy.concatenate([empty, *(numpy.full(t, s) for t, s in self._shapes)])
        self._word_of_link = numpy.repeat(numpy.arange(len(widths)), widths)
        self._words = len(widths)

    def totals(self, scores: numpy.ndarray) -> numpy.ndarray:
        """The sum over the links of each target word."""
        return numpy.bincount(self._word_of_link, weights=scores, minlength=self._words)

    def spread(self, totals: numpy.ndarray) -> numpy.ndarray:
        """Numbers of target words, for each of their links."""
        return totals[self._word_of_link]

    def translation(self, counts: numpy.ndarray) -> numpy.ndarray:
        """
        Returns the weight of each source and target word under variational Bayes, instead of its
        share: `exp(digamma(count + alpha) - digamma(sum of count + alpha))`.
        """
        smoothed = counts + _ALPHA
        sums = numpy.bincount(self._source_of_entry, weights=smoothed)
        weights: numpy.ndarray = numpy.exp(
            _digamma(smoothed) - _digamma(numpy.maximum(sums, _ALPHA))[self._source_of_entry]
        )
        return weights

    def best(self, scores: numpy.ndarray) -> list[list[int]]:
        """The place of the best source word of each target word; -1 is none."""
        places, start = [], 0
        for shape in self._shapes:
            end = start + shape[0] * shape[1]
            places.append((scores[start:end].reshape(shape).argmax(1) - 1).tolist())
            start = end
        return places


def _prior(target: int, columns: int) -> numpy.ndarray:
    """`(target, source + 1)`: of none, first, and of source words by their distance."""
    source = columns - 1
    at = (numpy.arange(target) + 1)[:, None] / max(target, 1)
    places = (numpy.arange(source) + 1) / max(source, 1)
    near = numpy.exp(-TENSION * numpy.abs(at - places))
    near *= (1 - NULL) / numpy.maximum(near.sum(1, keepdims=True), 1e-300)
    return numpy.concatenate([numpy.full((target, 1), NULL), near], axis=1)


def _digamma(x: numpy.ndarray) -> numpy.ndarray:
    result: numpy.ndarray = torch.digamma(torch.from_numpy(x)).numpy()
    return result
