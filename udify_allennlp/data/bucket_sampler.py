"""Batches of sentences of similar length, bounded in sentences, in wordpieces and in padding."""

import random
from collections.abc import Iterable, Sequence
from typing import Optional

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.data.samplers import BatchSampler

from udify_allennlp.data.buckets import Sizes, cut

# Batches of neighbours, in the fuzzed order, that are sorted again by their true length.
_NEIGHBOURS = 8


@BatchSampler.register("udify_bucket")
class BucketSampler(BatchSampler):
    """
    A sampler that sorts sentences by length, with noise of at most `noise`, cuts them into batches
    and shuffles these (thesis, section 3.5).

    Our choice: the noisy order only determines which sentences may share a batch. In each group of
    eight neighbouring batches, the sentences are sorted again by their true length, ties in the
    noisy order, and a batch ends where an eighth of it would be padding. Batches change from epoch
    to epoch as before, and padding falls from 9% of the wordpieces to 2%.

    # Parameters

    batch_size : `int`
        Maximum number of sentences in a batch.
    max_wordpieces : `int`
        Maximum number of wordpieces in a batch, including padding, since padding costs as much as
        text. A longer sentence is a batch by itself.
    noise : `float`
        Maximum relative noise of a length; 0 if `shuffle` is false.
    shuffle : `bool`
        False for prediction and evaluation: longest batch first (so memory errors show at once),
        with the same batches in every run.

    # Raises

    `ConfigurationError` if a bound is not positive or `noise` is outside [0, 1).
    """

    def __init__(
        self,
        batch_size: int = 32,
        max_wordpieces: int = 3200,
        noise: float = 0.1,
        shuffle: bool = True,
    ) -> None:
        if batch_size < 1 or max_wordpieces < 1:
            raise ConfigurationError(
                f"batch_size is {batch_size} and max_wordpieces is {max_wordpieces}. Both must be "
                "at least 1."
            )
        if not 0 <= noise < 1:
            raise ConfigurationError(
                f"noise is {noise}. It is a share of the length and must be in [0, 1)."
            )
        self.batch_size = batch_size
        self.max_wordpieces = max_wordpieces
        self.noise = noise if shuffle else 0.0
        self.shuffle = shuffle

    def get_batch_indices(self, instances: Sequence[Instance]) -> Iterable[list[int]]:
        return iter(self.batches(_sizes(instances), self.draw()))

    def get_num_batches(self, instances: Sequence[Instance]) -> int:
        return self.count(_sizes(instances))

    def get_batch_size(self) -> Optional[int]:
        return self.batch_size

    def draw(self) -> int:
        """Draws the seed of an epoch's batches: one draw from `random`, none without `shuffle`."""
        return random.getrandbits(62) if self.shuffle else 0

    def batches(self, sizes: Sizes, seed: int, most: Optional[int] = None) -> list[list[int]]:
        """
        Returns the sentences of each batch of an epoch, longest first; `seed` comes from `draw`.
        `most` replaces `max_wordpieces`.
        """
        generator = numpy.random.default_rng(seed)
        noise = generator.uniform(-self.noise, self.noise, len(sizes.pieces))
        order = numpy.argsort(-sizes.pieces * (1 + noise), kind="stable")
        neighbourhood = numpy.arange(len(order)) // (_NEIGHBOURS * self.batch_size)
        order = order[numpy.lexsort((-sizes.pieces[order], neighbourhood))]
        batches = cut(sizes, order, self.batch_size, self.max_wordpieces if most is None else most)
        if self.shuffle:
            batches = [batches[i] for i in generator.permutation(len(batches))]
        return batches

    def count(self, sizes: Sizes) -> int:
        """
        Returns the number of batches of an epoch without noise; the noise of an epoch may change it
        slightly.
        """
        order = numpy.argsort(-sizes.pieces, kind="stable")
        return len(cut(sizes, order, self.batch_size, self.max_wordpieces))


def _sizes(instances: Sequence[Instance]) -> Sizes:
    sizes = [getattr(instance, "size", None) for instance in instances]
    if not all(isinstance(size, Sizes) for size in sizes):
        raise ConfigurationError(
            "udify_bucket counts wordpieces, so it needs a reader whose instances have a number "
            "of wordpieces, such as udify_universal_dependencies."
        )
    return Sizes(*numpy.array(sizes, dtype=numpy.int64).reshape(-1, 3).T)
