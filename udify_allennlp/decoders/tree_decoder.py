"""The base class of decoders of dependency trees: ROOT, and the columns HEAD and DEPREL."""

from collections.abc import Sequence
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import Deps
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.sentence import Columns, Sentence, tree_columns

_ROOT_DEPREL = "root"


class TreeDecoder(Decoder):
    """
    Base class in which ROOT is a learned vector before the words, as in the released code of UDify,
    unless the encoder has a vector for it. Only the child of ROOT has the deprel `root`.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.

    # Raises

    `ConfigurationError` if the data has no deprel.
    """

    def __init__(self, vocab: Vocabulary, input_dim: int) -> None:
        super().__init__(Deps())
        label_of = vocab.get_index_to_token_vocabulary(Deps.NAMESPACE)
        if not label_of:
            raise ConfigurationError(
                "decoders.deps has no labels: the training data has no deprel. Add 'deps' to "
                "dataset_reader.tasks, or remove the decoder."
            )
        self._labels = [label_of[index] for index in range(len(label_of))]
        self._root_label: Optional[int] = (
            self._labels.index(_ROOT_DEPREL) if _ROOT_DEPREL in self._labels else None
        )
        self.root: Optional[torch.nn.Parameter] = torch.nn.Parameter(
            torch.randn(input_dim) / input_dim**0.5
        )

    def use_encoded_root(self) -> None:
        self.root = None

    def rows(self, encoded: Encoded) -> tuple[torch.Tensor, Layout]:
        """Returns the vectors of ROOT and then of the words, `(rows, dim)`, and their layout."""
        words = encoded.words
        if self.root is not None:
            return torch.cat([self.root.to(words.dtype).unsqueeze(0), words]), encoded.layout
        assert encoded.roots is not None  # the model gives them where it called `use_encoded_root`
        return torch.cat([encoded.roots, words]), encoded.layout.with_own_roots()

    def without_root(self, scores: torch.Tensor) -> torch.Tensor:
        """
        Returns scores of the deprels of words that are not the child of ROOT, `(..., labels)`:
        those of `root` are set to -inf, in place, unless it is the only deprel.
        """
        if self._root_label is not None and len(self._labels) > 1:
            scores[..., self._root_label] = -torch.inf
        return scores

    def best_labels(self, scores: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """
        Returns the best label of each word, given label scores `(words, labels)`, which are changed
        in place, and heads `(words,)`.
        """
        best = self.without_root(scores).argmax(-1)
        return best if self._root_label is None else best.masked_fill_(heads == 0, self._root_label)

    def columns(
        self, heads: torch.Tensor, labels: torch.Tensor, sentences: Sequence[Sentence]
    ) -> list[Columns]:
        """
        Returns the columns for the heads and the numbers of deprels of all words, `(words,)` each.
        """
        if self._root_label is not None:
            labels = labels.masked_fill(heads == 0, self._root_label)
        deprels = (self._labels[label] for label in labels.tolist())
        return tree_columns(heads.tolist(), deprels, sentences)
