"""Base class of encoders that put context-independent word vectors into context."""

from collections.abc import Mapping
from typing import Any, Optional

import torch
import torch.nn.functional as F
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError

from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.kernels.dropout import kept
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.node_encoder import NodeEncoder


class ContextEncoder(WordEncoder):
    """
    Base class in which ROOT, a learned vector, and the words of a sentence, from `words`, pass
    through an LSTM or self-attention.

    # Parameters

    word_dropout : `float`
        Probability of dropping a whole vector of a word in training.
    output_dropout : `float`
        Probability of setting a dimension of the vectors to 0 in training, for all words of a
        sentence.

    # Raises

    `ConfigurationError` if a rate is outside [0, 1).
    """

    num_layers = 1

    def __init__(self, word_dropout: float = 0.0, output_dropout: float = 0.0) -> None:
        super().__init__()
        for name, rate in (("word_dropout", word_dropout), ("output_dropout", output_dropout)):
            if not 0 <= rate < 1:
                raise ConfigurationError(f"embedder.{name} is {rate}, outside [0, 1).")
        self.word_dropout, self.output_dropout = word_dropout, output_dropout
        self.root: Optional[torch.nn.Parameter] = None

    def build(self, width: int, layers: Lazy[NodeEncoder], encode_root: bool = True) -> None:
        """
        Builds the layers that read the words, once everything that `words` needs exists.

        # Parameters

        width : `int`
            Width of the output of `words`.
        layers : `Lazy[NodeEncoder]`
        encode_root : `bool`
            True if ROOT is before the words in `layers`.
        """
        self.encodes_root = encode_root
        if encode_root:
            self.root = torch.nn.Parameter(torch.randn(width) / width**0.5)
        self.layers = layers.construct(input_dim=width)

    def words(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        """Returns the context-independent vector of each word, `(words, width)`."""
        raise NotImplementedError

    def without_some(self, vectors: torch.Tensor) -> torch.Tensor:
        """
        Returns the vectors `(words, dim)`, in training without those that `word_dropout` removes.
        """
        if not self.training or not self.word_dropout:
            return vectors
        return vectors * kept(vectors[:, :1], self.word_dropout)

    def get_output_dim(self) -> int:
        return self.layers.get_output_dim()

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        words = self.words(batch, layout)
        root = words.new_zeros(words.shape[1]) if self.root is None else self.root
        nodes, mask = layout.to_nodes(torch.cat([root.unsqueeze(0), words])), layout.mask
        if self.root is None:
            nodes = F.pad(self.layers(nodes[:, 1:], mask[:, 1:]), (0, 0, 1, 0))
        else:
            nodes = self.layers(nodes, mask)
        if self.training and self.output_dropout:
            nodes = nodes * kept(nodes[:, :1], self.output_dropout)
        vectors = layout.to_words(nodes)
        return (vectors if self.root is None else torch.cat([nodes[:, 0], vectors])).unsqueeze(0)
