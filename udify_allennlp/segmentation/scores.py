"""The scores that a tokenizer asks of a segmenter's network, by PyTorch or by onnxruntime."""

from typing import NamedTuple, Protocol

import numpy


class Characters(NamedTuple):
    """Characters of texts, and between them."""

    hashes: numpy.ndarray
    """int64 `(n, kinds)`: see `character_features.py`."""
    classes: numpy.ndarray
    """int64 `(n,)`"""
    text_of: numpy.ndarray
    """int64 `(n,)`: the number of the text that each belongs to, or follows."""


class NetworkScores(Protocol):
    """The scores of a network, in arrays."""

    reach: int
    """Number of characters on either side that the vector of one depends on."""

    def guess(self, characters: Characters, counts: numpy.ndarray) -> numpy.ndarray:
        """
        Returns the logit of each treebank for each text, `(texts, treebanks)`. Text number `i` has
        `counts[i]` of the characters, at least one.
        """

    def flags(
        self, characters: Characters, is_text: numpy.ndarray, shares: numpy.ndarray
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns the logits of the three labels of each character, `(n, 3)`, and its vector,
        `(n, hidden_dim)`. `is_text`, bool `(n,)`, is false beside texts; `shares`
        `(texts, treebanks)` are the weights of the treebanks' vectors for each text.
        """

    def rules(self, vectors: numpy.ndarray) -> numpy.ndarray:
        """Returns the scores of all rules for multiword tokens, `(n, rules)`, from vectors."""
