"""The base class of all encoders of words."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Optional

import torch
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import Task
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.pooling import FIRST


class WordEncoder(torch.nn.Module, Registrable):
    """
    Encodes a batch into vectors of its nodes, layer by layer. `model.embedder` of a config names
    one.

    A subclass says what it reads of a batch (see `Collator`) and what it gives.
    """

    reads: tuple[str, ...] = ()
    """The fields of the batch that it needs: of `wordpieces`, `forms` and `langs`."""
    inputs: tuple[str, ...] = ()
    """What it needs of the batch's `inputs`."""
    unit = "wordpieces"
    """What its batches are measured in, `wordpieces` or `words`: what `max_wordpieces` of the data
    loader bounds."""
    pretrained = False
    """Whether `load_weights` false builds it without weights from elsewhere, for an archive that
    brings its own."""
    num_layers: int
    """How many layers it gives, at least 1."""
    encodes_root = False
    """Whether it gives the ROOT of each sentence a vector, too."""
    takes_start = False
    """Whether a batch may have `start`, `(batch, dim)`, which is added to the first piece of each
    window of a sentence before the lowest layer."""
    gives: tuple[str, ...] = ("words",)
    """Units that it has vectors for: `words`, and `wordpieces` where it has `encode_pieces`."""
    pooling = FIRST
    """Which of a word's pieces, or what of all of them, its vector is; see `pool`."""
    model_name = ""
    """The pretrained encoder that it started from, if any, as its config names it."""
    tokenizer: Optional[WordpieceTokenizer] = None
    """That of the encoder which `as_transformers` gives."""

    def as_transformers(self, attention: Optional[str] = None) -> Any:
        """
        Returns the plain encoder of transformers that it contains, with its current weights, for
        other programs and for analysis; `None` if it contains none. `attention` is one of the
        implementations of transformers, such as `eager`.
        """
        return None

    def language_codes(self) -> Collection[str]:
        """Returns the language codes that it accepts, besides those of treebanks."""
        return ()

    def check_languages(self, langs: Sequence[str]) -> None:
        """
        # Raises

        `ConfigurationError` if it cannot read sentences of one of them, as `langs` of a batch.
        """

    def get_output_dim(self) -> int:
        """The width of the vectors."""
        raise NotImplementedError

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        """
        Vectors `(layers, words, dim)` of all words in the order of `layout`, lowest layer first;
        with `encodes_root`, `(layers, batch + words, dim)`: the ROOTs come before the words.

        # Parameters

        batch : `Mapping[str, Any]`
            The fields that it `reads`, and `inputs`.
        layout : `Layout`
        """
        raise NotImplementedError

    def encode_pieces(
        self, batch: Mapping[str, Any], layout: Layout, pieces: Layout
    ) -> torch.Tensor:
        """
        Vectors `(layers, pieces, dim)` of all wordpieces in the order of `pieces`, lowest layer
        first; with `encodes_root`, `(layers, batch + pieces, dim)`: the ROOTs come before the
        pieces. Those of the first piece of each word, `pieces.first_of`, are what `forward` gives
        with the pooling `first`.

        # Parameters

        batch : `Mapping[str, Any]`
            As for `forward`; `wordpieces` has `pieces` (see `Collator`).
        layout, pieces : `Layout`
            Of words and of wordpieces.

        # Raises

        `ConfigurationError` if it has no wordpieces.
        """
        raise no_pieces(self)


def no_pieces(encoder: WordEncoder) -> ConfigurationError:
    return ConfigurationError(
        f"model.embedder is a {type(encoder).__name__}, which gives vectors of words and none of "
        "wordpieces. Take udify_encoder, or decoders that predict words."
    )


def num_labels(vocab: Vocabulary, task: Task, missing: str, setting: str) -> int:
    """
    Returns the number of labels of a task for which an encoder needs vectors.

    # Parameters

    vocab : `Vocabulary`
    task : `Task`
    missing : `str`
        How the message begins where there are none.
    setting : `str`
        Of the reader, where the task is to be named.

    # Raises

    `ConfigurationError` if the data has none.
    """
    (namespace,) = (spec.namespace for spec in task.specs if spec.namespace is not None)
    count = len(vocab.get_index_to_token_vocabulary(namespace))
    if not count:
        raise ConfigurationError(f"{missing} Add {task.name!r} to dataset_reader.{setting}.")
    return count
