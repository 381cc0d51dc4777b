"""Recurrent layers over the nodes of sentences."""

import torch
from allennlp.common.checks import ConfigurationError
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from udify_allennlp.kernels.dropout import kept
from udify_allennlp.kernels.lstm import Lstm
from udify_allennlp.modules.node_encoder import NodeEncoder


@NodeEncoder.register("udify_lstm")
class StackedLstm(NodeEncoder):
    """
    Stacked bidirectional LSTMs, with dropout that is drawn once for all nodes of a sentence (Gal
    and Ghahramani 2016) on the input of each of them. Departure: no dropout on the recurrent
    connections, which PyTorch's fast kernels do not support.

    # Parameters

    input_dim : `int`
    hidden_dim : `int`
        Width of each direction; at least 1.
    num_layers : `int`
        At least 1.
    dropout : `float`
        From 0 to below 1.

    # Raises

    `ConfigurationError` if a parameter is outside its range.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int = 300, num_layers: int = 3, dropout: float = 0.33
    ) -> None:
        super().__init__()
        if min(input_dim, hidden_dim, num_layers) < 1 or not 0 <= dropout < 1:
            raise ConfigurationError(
                f"StackedLstm: input_dim is {input_dim}, hidden_dim {hidden_dim}, num_layers "
                f"{num_layers}, dropout {dropout}. The first three must be at least 1, dropout in "
                "[0, 1)."
            )
        self.dropout = dropout
        self.layers = torch.nn.ModuleList(
            Lstm(
                input_dim if layer == 0 else 2 * hidden_dim,
                hidden_dim,
                batch_first=True,
                bidirectional=True,
            )
            for layer in range(num_layers)
        )

    def get_output_dim(self) -> int:
        return 2 * self.layers[0].hidden_size  # type: ignore[operator, return-value]

    def forward(self, nodes: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Encodes nodes `(batch, n, input_dim)` as `(batch, n, 2 * hidden_dim)`, 0 for padding. `mask`
        `(batch, n)` is true for real nodes, the first ones of each sentence.
        """
        lengths = mask.sum(1).cpu()
        for layer in self.layers:
            if self.training and self.dropout:
                nodes = nodes * kept(nodes[:, :1], self.dropout)
            packed = pack_padded_sequence(nodes, lengths, batch_first=True, enforce_sorted=False)
            nodes, _ = pad_packed_sequence(layer(packed)[0], True, total_length=mask.shape[1])
        return nodes
