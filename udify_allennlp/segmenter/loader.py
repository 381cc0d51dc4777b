"""The data loader of the segmenter: windows for training, or whole files to segment."""

import random
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary

from udify_allennlp.data.group_sampling import GroupSampling
from udify_allennlp.segmentation.treebanks import LANGS
from udify_allennlp.segmenter.reader import DocumentInstance, SegmenterReader
from udify_allennlp.segmenter.windows import (
    UNKNOWN,
    LabelledSentence,
    batch_of,
    labelled_sentences,
    make_window,
)


@DataLoader.register("udify_segmenter")
class SegmenterLoader(DataLoader):
    """
    A data loader of windows of consecutive sentences, each starting at another sentence; without
    `shuffle`, as in evaluation, a batch is a file, in `documents`.

    All random numbers of an epoch depend on one draw from `random` in `__iter__`, so a recovered
    run gets the same batches.

    # Parameters

    reader : `DatasetReader`
        `udify_segmenter`.
    data_path : `Any`
        The reader's input: a file, a glob, or a list of these.
    batch_size : `int`
        Number of windows in a batch.
    window : `int`
        Number of characters of a window.
    noise : `float`
        See `make_window`.
    shuffle : `bool`
        False for evaluation.
    sampling, temperature, epoch_size :
        See `GroupSampling`, for windows instead of sentences. By default an epoch covers the text
        once.
    cuda_device : `Optional[Union[int, str, torch.device]]`
        The device of batches.

    # Raises

    `ConlluError` with file, line and remedy at the first invalid sentence. `ConfigurationError` if
    the reader is of another type, there are no sentences, or a number is out of range.
    """

    unit = "windows"
    """The unit of `count`."""

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        batch_size: int = 32,
        window: int = 512,
        noise: float = 0.1,
        shuffle: bool = True,
        sampling: str = "proportional",
        temperature: Optional[float] = None,
        epoch_size: Optional[int] = None,
        cuda_device: Optional[Union[int, str, torch.device]] = None,
    ) -> None:
        if not isinstance(reader, SegmenterReader):
            raise ConfigurationError(
                "The data loader 'udify_segmenter' needs the dataset_reader 'udify_segmenter'."
            )
        if batch_size < 1 or window < 1 or not 0 <= noise <= 1:
            raise ConfigurationError(
                f"data_loader has batch_size {batch_size}, window {window} and noise {noise}. The "
                "first two must be at least 1, noise in [0, 1]."
            )
        self._documents = list(reader.documents(data_path))
        if not self._documents:
            raise ConfigurationError(f"{data_path} has no sentences. Name a treebank file.")
        self._batch_size = batch_size
        self._window = window
        self._noise = noise
        self._shuffle = shuffle
        characters = sum(len(document.text) for document in self._documents) if shuffle else 0
        self._epoch_size = epoch_size or max(1, characters // window)
        self._sampling = GroupSampling(sampling, temperature, self._epoch_size)
        self._sentences: list[list[LabelledSentence]] = []
        self._starts = numpy.zeros((0, 2), dtype=int)  # file and sentence where a window may start
        self._treebanks = numpy.zeros(0, dtype=int)
        self._langs: list[int] = []
        self._device = torch.device("cpu" if cuda_device is None else cuda_device)

    def __len__(self) -> int:
        if not self._shuffle:
            return len(self._documents)
        return -(-self._epoch_size // self._batch_size)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if not self._shuffle:
            return ({"documents": [document]} for document in self._documents)
        if not self._sentences:
            raise ValueError("The loader has no vocabulary yet. Call index_with(vocab) first.")
        return self._batches(random.getrandbits(62))

    def count(self, batch: dict[str, Any]) -> int:
        """Returns the number of windows in a batch, for progress bars."""
        return len(batch["langs"]) if "langs" in batch else 1

    def iter_instances(self) -> Iterator[Instance]:
        """Yields all files."""
        return map(DocumentInstance, self._documents)

    def index_with(self, vocab: Vocabulary) -> None:
        if not self._shuffle:
            return
        numbers = vocab.get_token_to_index_vocabulary(LANGS)
        self._langs = [numbers.get(document.label, UNKNOWN) for document in self._documents]
        self._sentences = [labelled_sentences(document, vocab) for document in self._documents]
        names = [document.treebank for document in self._documents]
        treebanks = [sorted(set(names)).index(name) for name in names]
        lengths = [len(sentences) for sentences in self._sentences]
        self._treebanks = numpy.repeat(treebanks, lengths)
        files = numpy.repeat(numpy.arange(len(lengths)), lengths)
        self._starts = numpy.stack([files, numpy.concatenate([*map(numpy.arange, lengths)])], 1)

    def set_target_device(self, device: torch.device) -> None:
        self._device = device

    def _batches(self, seed: int) -> Iterator[dict[str, Any]]:
        generator = numpy.random.default_rng(seed)
        starts = self._starts[generator.permutation(self._sampling.rows(self._treebanks, seed))]
        for first in range(0, len(starts), self._batch_size):
            chosen = starts[first : first + self._batch_size].tolist()
            windows = [
                make_window(self._sentences[file], number, self._window, self._noise, generator)
                for file, number in chosen
            ]
            batch = batch_of(windows, [self._langs[file] for file, _ in chosen])
            yield {name: values.to(self._device) for name, values in batch.items()}
