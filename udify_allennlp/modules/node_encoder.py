"""Encoders of nodes in the context of their sentence."""

import torch
from allennlp.common import Registrable


class NodeEncoder(torch.nn.Module, Registrable):
    """
    Encodes vectors of the nodes of sentences in context.

    # Parameters

    input_dim : `int`
        Width of the vectors that it is given.
    """

    def get_output_dim(self) -> int:
        """The width of the vectors that it gives."""
        raise NotImplementedError

    def forward(self, nodes: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Nodes `(batch, n, input_dim)`, of which `mask` `(batch, n)` says which are real: the first
        ones of each sentence, at least one. `(batch, n, output_dim)`; padding has any numbers, and
        changes none of the others.
        """
        raise NotImplementedError
