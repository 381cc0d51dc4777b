"""The data loader of raw texts: an epoch is a number of batches, since texts are endless."""

import random
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.device_batches import on_device
from udify_allennlp.data.held_out import HeldOut
from udify_allennlp.data.text_source import Amount, Corpus, TextSource, amounts, by_file
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.kernels.processes import share
from udify_allennlp.text.sentence import Sentence

# Batches that are cut from sentences of similar length together.
_POOL = 16


@DataLoader.register("udify_texts")
class TextLoader(DataLoader):
    """
    A data loader that streams sentences of raw texts (`TextSource`) and makes the batches of
    `BucketSampler` from a few hundred at a time. A batch is that of `Collator`, without targets;
    words are separated by spaces, and the tokenizer of wordpieces splits them further.

    Processes that train together draw the same sentences and share their batches; each makes
    `batches_per_epoch` of them.

    The seed is drawn from `random` when the loader is built. Each epoch continues where the last
    one stopped. `state_dict` and `load_state_dict` save and restore the position between two
    epochs; `udify` trainers call them, so a recovered run gets the same batches.

    # Parameters

    reader : `DatasetReader`
        `udify_universal_dependencies`, with a `model_name`: it lays out the wordpieces.
    data_path : `Any`
        The path of treebanks; not read.
    corpora : `Dict[str, Corpus]`
        Corpora by name. If the model needs languages, the names have the form of treebank names:
        `en_wiki`.
    batches_per_epoch : `int`
    batch_size, max_wordpieces, noise :
        See `BucketSampler`.
    buffer_size : `int`
        See `TextSource`.
    smoothing : `Optional[float]`
        If set, each file is a separate corpus, such as a language, and is drawn in proportion to
        its number of sentences to the power of this, times the weight of its corpus: with 1 in
        proportion to the data, with 0 all files equally (multilingual BERT: 0.7). Files are read
        once before training, to count their sentences.
    held_out : `Optional[HeldOut]`
        Sentences that are left out of all files, which are read once before training to count them.
    cuda_device : `Optional[Union[int, str, torch.device]]`
        The device of batches; the trainer sets it.

    # Raises

    `ConfigurationError` if the reader is of another type or has no wordpieces, a number is below 1,
    or a corpus is invalid. `ConlluError` with file and line, during
    reading, for a line that is not UTF-8 and for a damaged file.
    """

    unit = "sentences"
    """The unit of `count`."""

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        corpora: dict[str, Corpus],
        batches_per_epoch: int,
        batch_size: int = 32,
        max_wordpieces: int = 3200,
        noise: float = 0.1,
        buffer_size: int = 10_000,
        cuda_device: Optional[Union[int, str, torch.device]] = None,
        smoothing: Optional[float] = None,
        held_out: Optional[HeldOut] = None,
    ) -> None:
        if not isinstance(reader, UniversalDependenciesReader) or reader.schema.framing is None:
            raise ConfigurationError(
                "The data loader 'udify_texts' needs a dataset_reader of type "
                "'udify_universal_dependencies' with a model_name, since it uses its wordpieces."
            )
        if batches_per_epoch < 1:
            raise ConfigurationError(
                f"data_loader.batches_per_epoch is {batches_per_epoch}. It must be at least 1."
            )
        if smoothing is not None and not 0 <= smoothing <= 1:
            raise ConfigurationError(
                f"data_loader.smoothing is {smoothing}. It must be from 0 to 1."
            )
        self._reader = reader
        self._schema = reader.schema.unannotated()
        self._corpora = corpora
        self._amounts: dict[str, Amount] = {}
        if smoothing is not None:
            self._corpora = by_file(corpora)
        if smoothing is not None or held_out is not None:
            self._amounts = amounts(self._corpora, held_out)
        if smoothing is not None:
            for name, corpus in self._corpora.items():
                corpus.weight *= self._amounts[name].sentences ** smoothing
        self._batches_per_epoch = batches_per_epoch
        self._sampler = BucketSampler(batch_size, max_wordpieces, noise)
        self._seed = random.getrandbits(62)
        self._source = TextSource(self._corpora, buffer_size, self._seed, held_out)
        self._vocab: Optional[Vocabulary] = None
        self._device = torch.device("cpu" if cuda_device is None else cuda_device)
        # The pool that batches are cut from: its number, the source before it, what is used of it.
        self._pool, self._used = -1, 0
        self._before: dict[str, Any] = {}
        self._collate: Optional[Collator] = None
        self._batches: list[list[int]] = []

    def __len__(self) -> int:
        return self._batches_per_epoch

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self._vocab is None:
            raise ValueError("The loader has no vocabulary yet. Call index_with(vocab) first.")
        return on_device(islice(self._stream(), self._batches_per_epoch), self._device)

    def count(self, batch: dict[str, Any]) -> int:
        """The number of sentences in a batch, for progress bars."""
        return len(batch["sentences"])

    def corpora(self) -> dict[str, str]:
        """The licence of each corpus, by name."""
        return {name: corpus.licence for name, corpus in self._corpora.items()}

    def left_out(self) -> dict[str, int]:
        """The number of sentences in the files that are held out."""
        return {"texts": sum(amount.left_out for amount in self._amounts.values())}

    def iter_instances(self) -> Iterator[Instance]:
        """Yields nothing: texts have no labels that a vocabulary could number."""
        return iter(())

    def index_with(self, vocab: Vocabulary) -> None:
        self._vocab = vocab

    def set_target_device(self, device: torch.device) -> None:
        self._device = device

    def state_dict(self) -> dict[str, Any]:
        """
        Returns the position between two epochs, in types that `torch.load` reads without code.
        """
        return {
            "source": self._before or self._source.state(),
            "seed": self._seed,
            "pool": self._pool,
            "used": self._used,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """
        Restores the position.

        # Raises

        `ConfigurationError` if the corpora differ.
        """
        self._source.restore(state["source"])
        self._seed = state["seed"]
        self._pool, self._used = state["pool"], state["used"]
        self._before, self._collate, self._batches = {}, None, []
        if self._pool >= 0:
            self._draw_pool()

    def _stream(self) -> Iterator[dict[str, Any]]:
        while True:
            if self._used == len(self._batches):
                self._pool, self._used = self._pool + 1, 0
                self._draw_pool()
            assert self._collate is not None
            batch = self._collate(self._batches[self._used])
            self._used += 1
            yield batch

    def _draw_pool(self) -> None:
        self._before = self._source.state()
        sentences = []
        for _ in range(_POOL * self._sampler.batch_size):
            name, line = self._source.draw()
            sentences.append(Sentence.from_words(line.split(), name))
        table = self._reader.table_of(sentences, self._schema)
        self._collate = Collator(table, self._schema)
        assert self._vocab is not None
        self._collate.index_with(self._vocab)
        seed = random.Random(f"{self._seed} {self._pool}").getrandbits(62)
        self._batches = share(self._sampler.batches(self._collate.sizes(), seed))
