"""An LSTM that runs under autocast on every processor."""

from typing import Any, Optional

import torch

from udify_allennlp.kernels.precision import multiplies_bfloat16


class Lstm(torch.nn.LSTM):
    """
    PyTorch's LSTM, in float32 where autocast to bfloat16 fails: on processors without bfloat16
    products oneDNN raises a RuntimeError, and on GPUs autocast runs cuDNN's LSTM in float16, whose
    output then meets tensors in bfloat16.
    """

    def forward(self, input: Any, hx: Optional[Any] = None) -> Any:
        kind: str = self.weight_ih_l0.device.type  # type: ignore[assignment]
        if not _fails_in_autocast(kind):
            return super().forward(input, hx)
        state = None if hx is None else tuple(part.float() for part in hx)
        with torch.autocast(kind, enabled=False):
            return super().forward(input.float(), state)


def _fails_in_autocast(kind: str) -> bool:
    if not torch.amp.is_autocast_available(kind) or not torch.is_autocast_enabled(kind):
        return False
    if kind == "cpu":
        return not multiplies_bfloat16()
    return torch.get_autocast_dtype(kind) != torch.float16
