"""Encoders of nodes in the context of their sentence."""

import torch
from allennlp.common import Registrable


class NodeEncoder(torch.nn.Module, Registrable):
    """
    Base class of encoders of the nodes of sentences in context.

    # Parameters

    input_dim : `int`
        Width of the input vectors.
    """

    def get_output_dim(self) -> int:
        """Returns the width of the output vectors."""
        raise NotImplementedError

    def forward(self, nodes: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Encodes nodes `(batch, n, input_dim)` as `(batch, n, output_dim)`. `mask` `(batch, n)` is
        true for real nodes, the first ones of each sentence, at least one. The values of padding
        are arbitrary, and do not affect others.
        """
        raise NotImplementedError
