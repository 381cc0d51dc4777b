"""A cell of an LSTM as GPUs compute it, in one kernel, which the CPU lacks."""

from collections.abc import Callable
from typing import Any, Optional

import torch


def _lstm_cell(
    of_input: torch.Tensor, of_state: torch.Tensor, cell: torch.Tensor, *bias: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    found = of_input + of_state
    for each in bias:
        found = found + each
    i, f, g, o = found.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new = f * cell + i * g
    return o * new.tanh(), new, torch.cat([i, f, g, o], 1)


def _lstm_cell_backward(
    of_output: Optional[torch.Tensor],
    of_cell: Optional[torch.Tensor],
    cell: torch.Tensor,
    new: torch.Tensor,
    gates: torch.Tensor,
    has_bias: bool,
) -> tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor]]:
    i, f, g, o = gates.chunk(4, 1)
    of_output = torch.zeros_like(new) if of_output is None else of_output
    pulled = of_output * o * (1 - new.tanh() ** 2)
    pulled = pulled if of_cell is None else pulled + of_cell
    found = torch.cat(
        [
            pulled * g * i * (1 - i),
            pulled * cell * f * (1 - f),
            pulled * i * (1 - g**2),
            of_output * new.tanh() * o * (1 - o),
        ],
        1,
    )
    return found, pulled * f, found.sum(0) if has_bias else None


KERNELS: dict[Any, Callable[..., Any]] = {
    torch.ops.aten._thnn_fused_lstm_cell.default: _lstm_cell,
    torch.ops.aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,
}
