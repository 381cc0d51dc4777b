"""Structural probes (Hewitt and Manning 2019): syntax as a linear map of word vectors."""

from collections.abc import Sequence
from typing import Optional

import numpy
import torch
from torch.nn.utils.rnn import pad_sequence

from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree

NO_GOLD = -1


class Probe(torch.nn.Module):
    """
    A linear map `B`, `(rank, dim)`, initialized uniformly between -0.05 and 0.05.

    # Parameters

    dim : `int`
        Width of the word vectors.
    rank : `Optional[int]`
        Maximum rank of `B`; by default `dim`.
    """

    def __init__(self, dim: int, rank: Optional[int] = None) -> None:
        super().__init__()
        self.map = torch.nn.Parameter(torch.empty(rank or dim, dim).uniform_(-0.05, 0.05))

    def forward(self, words: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
        """
        Predicts values for the words of sentences of `lengths`, one after the other, `(words,
        dim)`. The subclasses define the shape; values at padding are meaningless.
        """
        mapped = (words @ self.map.T).split(list(lengths))
        return self.predict(pad_sequence(list(mapped), batch_first=True))

    def predict(self, mapped: torch.Tensor) -> torch.Tensor:
        """Predicts values from mapped words, `(batch, n, rank)`."""
        raise NotImplementedError

    def gold(self, tree: GoldTree) -> numpy.ndarray:
        """Returns the gold values of a sentence, without padding."""
        raise NotImplementedError


class DistanceProbe(Probe):
    """
    Distances in the tree as `||B (h_i - h_j)||^2` (section 2.1, Eq 1), `(batch, n, n)`.
    """

    def predict(self, mapped: torch.Tensor) -> torch.Tensor:
        # Distances do not depend on the origin, but their precision does: one of the words.
        mapped = mapped - mapped[:, :1]
        norms = mapped.square().sum(-1)
        return norms.unsqueeze(2) + norms.unsqueeze(1) - 2 * mapped @ mapped.transpose(1, 2)

    def gold(self, tree: GoldTree) -> numpy.ndarray:
        return tree.distances


class DepthProbe(Probe):
    """Depths in the tree as `||B h_i||^2` (section 2.2), `(batch, n)`."""

    def predict(self, mapped: torch.Tensor) -> torch.Tensor:
        return mapped.square().sum(-1)

    def gold(self, tree: GoldTree) -> numpy.ndarray:
        return tree.depths


PROBES = {"distance": DistanceProbe, "depth": DepthProbe}


def probe_loss(predicted: torch.Tensor, gold: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
    """
    Returns the mean over sentences of `sum |gold - predicted| / length^2`, for distances `(batch,
    n, n)` (section 2.3), and `sum |gold - predicted| / length`, for depths `(batch, n)`. `gold` is
    `NO_GOLD` at padding.
    """
    errors = (predicted - gold).abs() * (gold != NO_GOLD)
    # Distances have one dimension more than depths, so they are that much more.
    counts = torch.tensor(lengths, device=errors.device) ** (errors.dim() - 1)
    return (errors.flatten(1).sum(1) / counts).mean()
