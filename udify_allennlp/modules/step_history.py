"""A transition parser's memory of its steps (Mohammadshahi 2023, Equation 2.8)."""

from typing import Optional

import torch

from udify_allennlp.kernels.products import linear

History = tuple[torch.Tensor, torch.Tensor]
"""Hidden states and cells `(layers, batch, dim)`."""


class StepHistory(torch.nn.Module):
    """
    `h^t, c^t = LSTM((h^{t-1}, c^{t-1}), a^t + l^t)`, where `a^t` and `l^t` are vectors of the
    previous step and of its label; a step without an arc has only `a^t`. The thesis does not
    specify the state before the first step: by default both states are zero. In the released code
    they are learned, with initial values between 0 and 1 (`learned_start`); it also uses the mean
    of `a^t` and `l^t`, not their sum.

    # Parameters

    dim : `int`
        Width of the vectors and of the LSTM.
    num_actions, num_labels : `int`
    num_layers : `int`
        Number of layers of the LSTM (Table 2.10: 2).
    learned_start : `bool`
        True if the states before the first step are parameters.
    """

    def __init__(
        self,
        dim: int,
        num_actions: int,
        num_labels: int,
        num_layers: int = 2,
        learned_start: bool = False,
    ) -> None:
        super().__init__()
        self.actions = torch.nn.Embedding(num_actions, dim)
        self.labels = torch.nn.Embedding(1 + num_labels, dim, padding_idx=0)
        self.lstm = torch.nn.LSTM(dim, dim, num_layers)
        self.first: Optional[torch.nn.Parameter] = None
        if learned_start:
            self.first = torch.nn.Parameter(torch.rand(2, num_layers, dim))

    def start(self, batch: int) -> History:
        """Returns the history before the first step of this many sentences."""
        if self.first is not None:
            hidden, cells = self.first.unsqueeze(2).expand(-1, -1, batch, -1).contiguous()
            return hidden, cells
        zeros = self.actions.weight.new_zeros(self.lstm.num_layers, batch, self.lstm.hidden_size)
        return zeros, zeros

    def forward(self, history: History, actions: torch.Tensor, labels: torch.Tensor) -> History:
        """
        Returns the history after a step of each sentence, `actions` and `labels` `(batch,)`; -1 for
        no label.
        """
        below = self.actions(actions) + self.labels(labels + 1)
        hidden, cells = [], []
        # PyTorch's LSTM prepares its weights anew in each call, which costs more than one step.
        for before, cell, weights in zip(*history, self.lstm.all_weights):
            of_input, of_hidden, input_bias, hidden_bias = weights
            gates = linear(below, of_input, input_bias) + linear(before, of_hidden, hidden_bias)
            enter, keep, new, leave = gates.chunk(4, 1)
            cell = keep.sigmoid() * cell + enter.sigmoid() * new.tanh()
            below = leave.sigmoid() * cell.tanh()
            hidden.append(below)
            cells.append(cell)
        return torch.stack(hidden), torch.stack(cells)
