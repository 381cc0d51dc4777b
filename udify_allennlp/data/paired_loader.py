"""A data loader whose batches have a part from treebanks and a part from texts."""

import random
from collections.abc import Iterator, Mapping
from typing import Any, Optional, Union

import torch
from allennlp.common import Lazy
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary

from udify_allennlp.data.held_out import HeldOut


@DataLoader.register("udify_paired")
class PairedLoader(DataLoader):
    """
    A loader for a model that learns from treebanks and from raw texts at each update: it yields
    `{"treebanks": batch, "texts": batch}` for the trainer `udify_phased`. An epoch is an epoch of
    the texts. It repeats the treebanks as often as needed, and restarts them in each epoch, in
    another order; all random numbers depend on one draw from `random` in `__iter__`.

    # Parameters

    reader : `DatasetReader`
    data_path : `Any`
        Both are passed to the two loaders.
    treebanks : `Lazy[DataLoader]`
        The loader of treebanks, such as `udify`.
    texts : `Lazy[DataLoader]`
        The loader of texts, such as `udify_texts`.
    held_out : `Optional[HeldOut]`
        Sentences that both loaders exclude.
    cuda_device : `Optional[Union[int, str, torch.device]]`
        The device of batches; the trainer sets it.
    """

    parts = ("treebanks", "texts")
    """The names of the parts of a batch."""
    unit = "sentences"
    """The unit of `count`."""

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        treebanks: Lazy[DataLoader],
        texts: Lazy[DataLoader],
        cuda_device: Optional[Union[int, str, torch.device]] = None,
        held_out: Optional[HeldOut] = None,
    ) -> None:
        arguments: dict[str, Any] = {"reader": reader, "data_path": data_path}
        arguments["cuda_device"] = cuda_device
        if held_out is not None:
            arguments["held_out"] = held_out
        self._treebanks: Any = treebanks.construct(**arguments)
        self._texts: Any = texts.construct(**arguments)

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._pairs(random.Random(random.getrandbits(62)))

    def count(self, batch: dict[str, Any]) -> int:
        """The number of sentences in both parts, for progress bars."""
        return int(self._treebanks.count(batch["treebanks"]) + self._texts.count(batch["texts"]))

    def treebanks(self) -> dict[str, dict[str, int]]:
        """See `TreebankLoader.treebanks`."""
        counts: dict[str, dict[str, int]] = self._treebanks.treebanks()
        return counts

    def corpora(self) -> dict[str, str]:
        """See `TextLoader.corpora`."""
        corpora: dict[str, str] = self._texts.corpora()
        return corpora

    def left_out(self) -> dict[str, int]:
        """Returns for each part the number of sentences in its files that are held out."""
        return {**self._treebanks.left_out(), **self._texts.left_out()}

    def languages(self) -> list[str]:
        """The languages of the treebanks' sentences, if the reader gives them."""
        languages: list[str] = self._treebanks.languages()
        return languages

    def iter_instances(self) -> Iterator[Instance]:
        return iter(self._treebanks.iter_instances())

    def index_with(self, vocab: Vocabulary) -> None:
        self._treebanks.index_with(vocab)
        self._texts.index_with(vocab)

    def set_target_device(self, device: torch.device) -> None:
        self._treebanks.set_target_device(device)
        self._texts.set_target_device(device)

    def state_dict(self) -> dict[str, Any]:
        """Returns the position in the texts between two epochs; treebanks restart in each."""
        return dict(self._texts.state_dict())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores the position in the texts. Raises the errors of the loader of texts."""
        self._texts.load_state_dict(state)

    def _pairs(self, seeds: random.Random) -> Iterator[dict[str, Any]]:
        treebanks = self._passes(seeds)
        for texts in self._texts:
            yield {"treebanks": next(treebanks), "texts": texts}

    def _passes(self, seeds: random.Random) -> Iterator[dict[str, Any]]:
        while True:
            # Its own draw is from here, not from where training has brought `random` by now: a
            # recovered run passes over batches without training on them.
            before = random.getstate()
            random.seed(seeds.getrandbits(62))
            batches = iter(self._treebanks)
            random.setstate(before)
            yield from batches
