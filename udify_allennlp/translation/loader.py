"""The data loader of translation: balanced directions, batches of similar length."""

import logging
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.group_sampling import GroupSampling
from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.reader import TranslationReader, pair_instance

logger = logging.getLogger(__name__)


@DataLoader.register("udify_translation")
class TranslationLoader(DataLoader):
    """
    A data loader of pairs of sentences in many directions. With `per_group` an epoch has exactly
    this many for each direction (Mohammadshahi 2023, section 6.3: 100,000): it repeats some if
    there are fewer and draws a sample if there are more.

    All random numbers of an epoch depend on one draw from `random` in `__iter__`, so a recovered
    run gets the same batches.

    # Parameters

    reader : `DatasetReader`
        `udify_translation`.
    data_path : `Any`
        Aligned files; see the reader.
    per_group, sampling, temperature, epoch_size :
        See `GroupSampling`; groups are directions.
    batch_size, max_wordpieces, noise, shuffle :
        See `BucketSampler`; the size of a pair is the number of pieces of its longer side,
        including code and end.
    licence : `str`
        Licence of the text, for the model card.
    cuda_device : `Optional[Union[int, str, torch.device]]`
        Not used: the model makes tensors on its own device.

    # Raises

    `InputError` for files that are not aligned. `ConfigurationError` if the reader is of another
    type, there are no pairs, a number is out of range, or several processes train.
    """

    unit = "pairs"
    """The unit of `count`."""

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        per_group: Optional[int] = None,
        sampling: str = "proportional",
        temperature: Optional[float] = None,
        epoch_size: Optional[int] = None,
        batch_size: int = 64,
        max_wordpieces: int = 2000,
        noise: float = 0.1,
        shuffle: bool = True,
        licence: str = "not known",
        cuda_device: Optional[Union[int, str, torch.device]] = None,
    ) -> None:
        if not isinstance(reader, TranslationReader):
            raise ConfigurationError(
                "The data loader 'udify_translation' needs the dataset_reader 'udify_translation'."
            )
        if is_distributed():
            raise ConfigurationError(
                "The data loader 'udify_translation' is for one process. Remove distributed."
            )
        self._sampling = GroupSampling(sampling, temperature, epoch_size, per_group)
        self._sampler = BucketSampler(batch_size, max_wordpieces, noise, shuffle)
        self.table = reader.table(data_path, train=shuffle)
        if self.table.left_out:
            logger.info("%d pairs are too long and were skipped.", self.table.left_out)
        self._groups, self._sizes = self.table.groups, self.table.sizes()
        self._licence = licence
        self._shuffle = shuffle

    def corpora(self) -> dict[str, str]:
        """Returns licences by the names of files, for the card."""
        return dict.fromkeys(self.table.names, self._licence)

    def counts(self, seed: int) -> dict[str, int]:
        """Returns the number of pairs per direction in the epoch with this seed."""
        numbers = Counter(self._groups[self._sampling.rows(self._groups, seed)].tolist())
        return {"-".join(each): numbers[i] for i, each in enumerate(self.table.directions)}

    def count(self, batch: dict[str, Any]) -> int:
        """Returns the number of pairs in a batch, for progress bars."""
        return len(batch["pairs"])

    def __len__(self) -> int:
        rows = self._sampling.rows(self._groups, 0)
        return self._sampler.count(self._sizes.of(rows))

    def __iter__(self) -> Iterator[dict[str, list[Pair]]]:
        return self._batches(random.getrandbits(62) if self._shuffle else 0)

    def _batches(self, seed: int) -> Iterator[dict[str, list[Pair]]]:
        rows: numpy.ndarray = self._sampling.rows(self._groups, seed)
        for batch in self._sampler.batches(self._sizes.of(rows), seed):
            yield {"pairs": [self.table[row] for row in rows[batch].tolist()]}

    def iter_instances(self) -> Iterator[Instance]:
        """Yields all pairs, once."""
        return (pair_instance(self.table[row]) for row in range(len(self.table)))

    def index_with(self, vocab: Vocabulary) -> None:
        """Does nothing, since subwords have their own numbers."""

    def set_target_device(self, device: torch.device) -> None:
        """Does nothing: the model makes tensors on its own device."""
