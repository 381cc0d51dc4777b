"""A classifier of several nodes together (Mohammadshahi 2023, Equation 2.5)."""

import torch

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.modules.biaffine import activation_of


class OfNodes(torch.nn.Module):
    """
    A perceptron with one hidden layer over the concatenated vectors of several nodes, `MLP([g_1;
    ...; g_k])`. The hidden layer is a sum of each node's contributions, which are computed once if
    a node is combined with several others.

    # Parameters

    input_dim : `int`
        Width of a node's vector.
    nodes : `int`
        Number of nodes.
    hidden_dim, output_dim : `int`
    activation : `str`
        One of `ACTIVATIONS`.
    dropout : `float`
        Dropout rate on the hidden layer.

    # Raises

    `ConfigurationError` for an unknown activation.
    """

    def __init__(
        self,
        input_dim: int,
        nodes: int,
        hidden_dim: int,
        output_dim: int,
        activation: str,
        dropout: float,
    ) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(input_dim, nodes * hidden_dim)
        self.output = torch.nn.Linear(hidden_dim, output_dim)
        self.activation = activation_of(activation)
        self.dropout = FastDropout(dropout)
        self._shape = (nodes, hidden_dim)

    def parts(self, rows: torch.Tensor) -> torch.Tensor:
        """
        Returns the contribution of each row in each of the places, `(rows, nodes, hidden_dim)`.
        """
        return self.hidden(rows).unflatten(-1, self._shape)

    @staticmethod
    def gathered(parts: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Returns the input of the hidden layer for the rows `places` `(n, nodes)` of `parts`."""
        numbers = torch.arange(places.shape[1], device=places.device)
        return parts[places, numbers].sum(1)

    def joined(self, nodes: torch.Tensor) -> torch.Tensor:
        """Returns the same for the vectors `(n, nodes, input_dim)`."""
        weight = self.hidden.weight.unflatten(0, self._shape)
        bias = self.hidden.bias.unflatten(0, self._shape).sum(0)
        return torch.einsum("nkd,khd->nh", nodes, weight) + bias

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """
        Returns scores `(n, output_dim)`, given the input of the hidden layer, `(n, hidden_dim)`.
        """
        return self.output(self.dropout(self.activation(hidden))).float()
