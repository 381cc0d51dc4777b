"""The base class of all word encoders."""

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
    Base class of encoders of a batch into vectors of its nodes, layer by layer. `model.embedder` of
    a config names one.

    A subclass declares the fields of a batch that it reads (see `Collator`) and its outputs.
    """

    reads: tuple[str, ...] = ()
    """The fields of the batch that it needs, among `wordpieces`, `forms` and `langs`."""
    inputs: tuple[str, ...] = ()
    """The names of the batch's `inputs` that it needs."""
    unit = "wordpieces"
    """
    The unit of the size of its batches, `wordpieces` or `words`, which `max_wordpieces` of the data
    loader bounds.
    """
    pretrained = False
    """
    True if `load_weights` false builds it without weights from elsewhere, for an archive with its
    own.
    """
    num_layers: int
    """Number of layers that it returns, at least 1."""
    encodes_root = False
    """True if it also returns a vector for the ROOT of each sentence."""
    takes_start = False
    """
    True if a batch may have `start`, `(batch, dim)`, which is added to the first piece of each
    window of a sentence before the lowest layer.
    """
    gives: tuple[str, ...] = ("words",)
    """Units with vectors: `words`, and `wordpieces` if it has `encode_pieces`."""
    pooling = FIRST
    """The pooling of a word's pieces; see `pool`."""
    model_name = ""
    """The pretrained encoder that it started from, if any, by its name in the config."""
    tokenizer: Optional[WordpieceTokenizer] = None
    """The tokenizer of the encoder that `as_transformers` returns."""

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

        `ConfigurationError` if it cannot encode sentences in one of them, given as `langs` of a
        batch.
        """

    def get_output_dim(self) -> int:
        """Returns the width of the vectors."""
        raise NotImplementedError

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        """
        Returns vectors `(layers, words, dim)` of all words in the order of `layout`, lowest layer
        first; with `encodes_root`, `(layers, batch + words, dim)`, with the ROOTs before the words.

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
        Returns vectors `(layers, pieces, dim)` of all wordpieces in the order of `pieces`, lowest
        layer first; with `encodes_root`, `(layers, batch + pieces, dim)`, with the ROOTs before the
        pieces. With the pooling `first`, those of the first piece of each word, `pieces.first_of`,
        are the output of `forward`.

        # Parameters

        batch : `Mapping[str, Any]`
            As for `forward`; `wordpieces` has `pieces` (see `Collator`).
        layout, pieces : `Layout`
            Layouts of words and of wordpieces.

        # Raises

        `ConfigurationError` if it has no wordpieces.
        """
        raise no_pieces(self)


def no_pieces(encoder: WordEncoder) -> ConfigurationError:
    return ConfigurationError(
        f"model.embedder is a {type(encoder).__name__}, which has vectors of words but not of "
        "wordpieces. Use udify_encoder, or decoders that predict words."
    )


def num_labels(vocab: Vocabulary, task: Task, missing: str, setting: str) -> int:
    """
    Returns the number of labels of a task for which an encoder needs vectors.

    # Parameters

    vocab : `Vocabulary`
    task : `Task`
    missing : `str`
        The beginning of the message if there are none.
    setting : `str`
        The setting of the reader that must name the task.

    # Raises

    `ConfigurationError` if the data has none.
    """
    (namespace,) = (spec.namespace for spec in task.specs if spec.namespace is not None)
    count = len(vocab.get_index_to_token_vocabulary(namespace))
    if not count:
        raise ConfigurationError(f"{missing} Add {task.name!r} to dataset_reader.{setting}.")
    return count
