"""The data loader of treebanks."""

from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.columns import LANG
from udify_allennlp.data.device_batches import on_device
from udify_allennlp.data.group_sampling import GroupSampling
from udify_allennlp.data.held_out import HeldOut
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.reading import read_table
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.unannotated_columns import without_left_out
from udify_allennlp.kernels.processes import common, processes, share

# Beside the seed of an epoch: the batches of languages are mixed independently of what is in them.
_STREAM = 2


@DataLoader.register("udify")
class TreebankLoader(DataLoader):
    """
    A data loader that reads treebanks into a table when it is built, and makes the batches of
    `BucketSampler` from it; `Collator` describes a batch. Features are not learned from treebanks
    that omit them; see `unannotated_columns.py`.

    The inputs of a model go to the target device. Labels stay on the CPU: decoders look up there
    which words have one, and move the labels that they need. When the target is a GPU, a thread
    makes the next batches in pinned memory and queues their copies while the current one is
    computed.

    All random numbers of an epoch, for its sentences and its batches, depend on one draw from
    `random` in `__iter__`, so a recovered run gets the same batches. In distributed training every
    process reads everything, makes the batches from the first process's draw and takes its share:
    each sentence once, and the same number of batches as any other process. A cache folder lets
    them share memory; see the reader's `cache_dir`.

    # Parameters

    reader : `DatasetReader`
        `udify_universal_dependencies`.
    data_path : `Any`
        The reader's input: a file, a glob, or a list of these.
    batch_size, max_wordpieces, noise, shuffle :
        See `BucketSampler`; `--batch-size` of `allennlp evaluate` reaches it.
    sampling, temperature, epoch_size, per_group :
        See `GroupSampling`: `proportional`, `temperature` or `uniform`; groups are treebanks. Files
        whose names begin alike, such as `en_ewt-ud-train` and `en_ewt-ud-dev`, belong to one
        treebank.
    weights : `Optional[Dict[str, float]]`
        By treebank, such as `bg_btb`, the factor by which its share of an epoch is multiplied; for
        all others it is 1. Only with `sampling` or `epoch_size`, and without `one_language` or
        `per_group`.
    one_language : `bool`
        If true, every batch has sentences of one language, according to the reader's `langs`.
        `sampling` then determines the share of the batches, not of the sentences, for each
        language: with `uniform`, all have the same number (Ji et al. 2023, section 5.1). An epoch
        has `epoch_size` batches, by default one pass through all sentences; each batch of a
        language appears `k` or `k + 1` times.
    held_out : `Optional[HeldOut]`
        Sentences that are left out of all files.
    num_workers : `int`
        Number of processes that read files; 0 reads in this one.
    cuda_device : `Optional[Union[int, str, torch.device]]`
        The device of batches; the trainer and the evaluator set it.
    quiet : `bool`
        True for no progress bar.

    # Raises

    `ConlluError` with file, line and remedy at the first invalid sentence. `ConfigurationError` if
    the reader is of another type, a bound is not positive, `num_workers` is negative, or sentences
    would be drawn without `shuffle`. `RuntimeError` if a reading process is killed.
    """

    unit = "sentences"
    """The unit of `count`."""

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        batch_size: int = 32,
        max_wordpieces: int = 3200,
        noise: float = 0.1,
        shuffle: bool = True,
        sampling: str = "proportional",
        temperature: Optional[float] = None,
        epoch_size: Optional[int] = None,
        num_workers: int = 0,
        cuda_device: Optional[Union[int, str, torch.device]] = None,
        quiet: bool = False,
        one_language: bool = False,
        per_group: Optional[int] = None,
        held_out: Optional[HeldOut] = None,
        weights: Optional[dict[str, float]] = None,
    ) -> None:
        if not isinstance(reader, UniversalDependenciesReader):
            raise ConfigurationError(
                "The data loader 'udify' reads treebanks: it needs a dataset_reader of type "
                "'udify_universal_dependencies'. For other readers use the data loader "
                "'multiprocess' with a batch_sampler."
            )
        if num_workers < 0:
            raise ConfigurationError(
                f"data_loader.num_workers is {num_workers}. It must be 0 or more."
            )
        self._sampler = BucketSampler(batch_size, max_wordpieces, noise, shuffle)
        self._sampling = GroupSampling(sampling, temperature, epoch_size, per_group)
        if not shuffle and not self._sampling.is_everything_once:
            raise ConfigurationError(
                "data_loader has shuffle false and a sampling or an epoch_size, so the sentences "
                "of an epoch would be drawn at random. Remove one of the two."
            )
        if one_language and not reader.schema.langs:
            raise ConfigurationError(
                "data_loader has one_language true, but the reader has no languages. Set "
                "dataset_reader.langs to true."
            )
        self._one_language = one_language
        self._schema = reader.schema
        read = read_table(reader, data_path, num_workers, quiet)
        self._table = without_left_out(read, reader.schema)
        # The sentences that the loader has of the table.
        self._rows = numpy.arange(len(self._table))
        if held_out is not None:
            sentences = map(self._table.sentence, range(len(self._table)))
            self._rows = self._rows[[not held_out.has(sentence) for sentence in sentences]]
        if not len(self._rows):
            names = data_path if isinstance(data_path, str) else ", ".join(map(str, data_path))
            where = ", or all of them are held out" if len(self._table) else ""
            raise ConfigurationError(f"{names} has no sentences{where}. Name files with sentences.")
        self._factors = self._factors_of(weights, one_language or per_group is not None)
        self._collate = Collator(self._table, reader.schema)
        self._indexed = False
        self._device = torch.device("cpu")
        if cuda_device is not None:
            self.set_target_device(torch.device(cuda_device))

    def __len__(self) -> int:
        """
        Returns the number of batches per epoch for this process; the draw of an epoch may change it
        slightly.
        """
        if self._one_language:
            return -(-len(self._batches(seed=0)) // processes())
        rows = self._drawn(seed=0)
        return -(-self._sampler.count(self._collate.sizes().of(rows)) // processes())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if not self._indexed:
            raise ValueError("The loader has no vocabulary yet. Call index_with(vocab) first.")
        # Not a generator: all that is random happens here and now, in the caller's thread.
        part = share(self._batches(self._seed()))
        return on_device(map(self._collate, part), self._device)

    def count(self, batch: dict[str, Any]) -> int:
        """Returns the number of sentences in a batch, for progress bars."""
        return len(batch["sentences"])

    def treebanks(self) -> dict[str, dict[str, int]]:
        """Returns the number of `sentences` and `words` read from each treebank."""
        names, of = self._table.treebanks
        of, lengths = of[self._rows], numpy.diff(self._table.word_offsets)[self._rows]
        words = numpy.bincount(of, lengths, len(names)).astype(int)
        sentences = numpy.bincount(of, minlength=len(names))
        counts = zip(sentences.tolist(), words.tolist())
        return {
            name: {"sentences": some, "words": num_words}
            for name, (some, num_words) in zip(names, counts)
        }

    def left_out(self) -> dict[str, int]:
        """The number of sentences in the files that are held out."""
        return {"treebanks": len(self._table) - len(self._rows)}

    def languages(self) -> list[str]:
        """Returns the languages of the sentences, if the reader gives them."""
        return list(self._table.columns[LANG].names or []) if LANG in self._table.columns else []

    def iter_instances(self) -> Iterator[Instance]:
        """Yields all sentences, of all processes."""
        return (TableInstance(self._table, i, self._schema) for i in self._rows.tolist())

    def index_with(self, vocab: Vocabulary) -> None:
        self._collate.index_with(vocab)
        self._indexed = True

    def set_target_device(self, device: torch.device) -> None:
        self._device = device

    def _batches(self, seed: int) -> list[list[int]]:
        if self._one_language:
            return self._of_one_language(seed)
        rows = self._drawn(seed)
        batches = self._sampler.batches(self._collate.sizes().of(rows), seed)
        return [rows[batch].tolist() for batch in batches]

    def _drawn(self, seed: int) -> numpy.ndarray:
        """The sentences of an epoch."""
        groups = self._table.treebanks[1][self._rows]
        return self._rows[self._sampling.rows(groups, seed, self._factors)]

    def _factors_of(
        self, weights: Optional[dict[str, float]], without_shares: bool
    ) -> Optional[numpy.ndarray]:
        if not weights:
            return None
        if without_shares or self._sampling.is_everything_once:
            raise ConfigurationError(
                "data_loader has weights, the factors of treebanks' shares of an epoch, but an "
                "epoch has no such shares. Set sampling or epoch_size, and neither one_language "
                "nor per_group."
            )
        names = self._table.treebanks[0]
        for name, weight in weights.items():
            if name not in names or not weight > 0:
                raise ConfigurationError(
                    f"data_loader.weights has {name!r}: {weight!r}. Name a treebank that is read "
                    f"({', '.join(names[:8])}{', ...' if names[8:] else ''}) and a number above 0."
                )
        return numpy.array([weights.get(name, 1.0) for name in names])

    def _of_one_language(self, seed: int) -> list[list[int]]:
        languages = self._table.columns[LANG].codes[self._rows]
        batches: list[list[int]] = []
        owners: list[int] = []
        for language in numpy.unique(languages):
            rows = self._rows[languages == language]
            row_batches = self._sampler.batches(self._collate.sizes().of(rows), seed)
            batches += [rows[batch].tolist() for batch in row_batches]
            owners += [int(language)] * len(row_batches)
        order = self._sampling.rows(numpy.array(owners), seed)
        if self._sampler.shuffle:
            order = numpy.random.default_rng([seed, _STREAM]).permutation(order)
        return [batches[place] for place in order]

    def _seed(self) -> int:
        seed = self._sampler.draw()
        return common(seed, self._device) if self._sampler.shuffle else seed
