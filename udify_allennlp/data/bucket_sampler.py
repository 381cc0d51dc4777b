"""Batches of sentences of similar length, bounded in sentences and in wordpieces."""

import random
from typing import Iterable, List, Optional, Sequence

from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.data.samplers import BatchSampler

from udify_allennlp.data.fields import WordpieceField


@BatchSampler.register("udify_bucket")
class BucketSampler(BatchSampler):
    """
    Sorts sentences by length, each length fuzzed by at most `noise`, cuts the row into batches and
    shuffles them (thesis, section 3.5).

    # Parameters

    batch_size : `int`
        Sentences in a batch at most.
    max_wordpieces : `int`
        Wordpieces in a batch at most, padding included, since padding costs as much as text. A
        longer sentence is a batch by itself.
    noise : `float`
        Largest share by which a length is fuzzed; 0 where `shuffle` is false.
    shuffle : `bool`
        False for prediction and evaluation: longest batch first (a memory fault shows at once),
        the same batches in every run.

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
                f"batch_size is {batch_size} and max_wordpieces is {max_wordpieces}: "
                "both must be at least 1."
            )
        if not 0 <= noise < 1:
            raise ConfigurationError(f"noise is {noise}: it is a share of the length, in [0, 1).")
        self.batch_size = batch_size
        self.max_wordpieces = max_wordpieces
        self.noise = noise if shuffle else 0.0
        self.shuffle = shuffle

    def get_batch_indices(self, instances: Sequence[Instance]) -> Iterable[List[int]]:
        batches = self._batches([_field(instance) for instance in instances], self.noise)
        if self.shuffle:
            random.shuffle(batches)
        return iter(batches)

    def get_num_batches(self, instances: Sequence[Instance]) -> int:
        """Batches of an epoch; the noise of an epoch may move this by a few."""
        return len(self._batches([_field(instance) for instance in instances], noise=0.0))

    def get_batch_size(self) -> Optional[int]:
        return self.batch_size

    def _batches(self, fields: Sequence[WordpieceField], noise: float) -> List[List[int]]:
        def key(field: WordpieceField) -> float:
            pieces = sum(len(window) for window in field.windows)
            return pieces * (1 + random.uniform(-noise, noise)) if noise else pieces

        keys = [key(field) for field in fields]
        order = sorted(range(len(fields)), key=lambda i: (-keys[i], i))
        batches: List[List[int]] = []
        rows = width = 0
        for i in order:
            rows += len(fields[i].windows)
            width = max(width, fields[i].width)
            full = not batches or len(batches[-1]) == self.batch_size
            if full or rows * width > self.max_wordpieces:
                batches.append([])
                rows, width = len(fields[i].windows), fields[i].width
            batches[-1].append(i)
        return batches


def _field(instance: Instance) -> WordpieceField:
    field = instance["wordpieces"]
    if not isinstance(field, WordpieceField):
        raise ConfigurationError(
            "udify_bucket counts wordpieces, so it needs a reader that gives a WordpieceField "
            "named 'wordpieces', such as udify_universal_dependencies."
        )
    return field
