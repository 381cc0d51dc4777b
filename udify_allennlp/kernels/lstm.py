"""An LSTM that runs under autocast on every processor."""

from typing import Any, Optional

import torch

from udify_allennlp.kernels.precision import multiplies_bfloat16


class Lstm(torch.nn.LSTM):
    """
    PyTorch's LSTM; in float32 on processors without bfloat16 products, where oneDNN raises a
    RuntimeError for other types.
    """

    def forward(self, input: Any, hx: Optional[Any] = None) -> Any:
        on_processor = self.weight_ih_l0.device.type == "cpu"
        if not on_processor or not torch.is_autocast_enabled("cpu") or multiplies_bfloat16():
            return super().forward(input, hx)
        state = None if hx is None else tuple(part.float() for part in hx)
        with torch.autocast("cpu", enabled=False):
            return super().forward(input.float(), state)
