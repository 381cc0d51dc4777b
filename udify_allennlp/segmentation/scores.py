"""The scores that a tokenizer asks of a segmenter's network, by PyTorch or by onnxruntime."""

from typing import Protocol

import numpy


class NetworkScores(Protocol):
    """
    The scores of a network, in arrays. Characters are given by their `hashes` `(n, kinds)` and
    `classes` `(n,)`, int64 (`character_features.py`), and by the number of the text they belong to,
    `text_of` `(n,)`, int64.
    """

    reach: int
    """Number of characters on either side that the vector of one depends on."""

    def guess(
        self,
        hashes: numpy.ndarray,
        classes: numpy.ndarray,
        text_of: numpy.ndarray,
        counts: numpy.ndarray,
    ) -> numpy.ndarray:
        """
        Returns the logit of each treebank for each text, `(texts, treebanks)`. Text number `i` has
        `counts[i]` of the characters, at least one.
        """

    def flags(
        self,
        hashes: numpy.ndarray,
        classes: numpy.ndarray,
        text_of: numpy.ndarray,
        is_text: numpy.ndarray,
        shares: numpy.ndarray,
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns the logits of the three labels of each character, `(n, 3)`, and its vector,
        `(n, hidden_dim)`. `is_text`, bool `(n,)`, is false beside texts; `shares`
        `(texts, treebanks)` are the weights of the treebanks' vectors for each text.
        """

    def rules(self, vectors: numpy.ndarray) -> numpy.ndarray:
        """Returns the scores of all rules for multiword tokens, `(n, rules)`, from vectors."""
