"""Weights on the disk in fewer bits than float32; loaded, they are float32 again."""

from typing import Dict, Mapping

import torch
from allennlp.common.checks import ConfigurationError

PRECISIONS = ("float32", "float16", "int8")
_SCALE = ".int8_scale"
# Numbers of a row from which on a scale of its own is a small part of it.
_LONG_ROW = 32

State = Mapping[str, torch.Tensor]


def packed(state: State, precision: str) -> Dict[str, torch.Tensor]:
    """
    Weights by name, as they are saved.

    - `float16`: rounded to 11 significant bits; half the size.
    - `int8`: matrices to whole numbers from -127 to 127, with a scale for each row (along the last
      axis), so that none is off by more than half a 127th of the row's largest; a quarter of the
      size. Vectors, such as biases, and short rows stay float32.

    # Raises

    `ConfigurationError` if there is no such precision, or a weight is too large for it.
    """
    if precision not in PRECISIONS:
        raise ConfigurationError(f"--precision is {precision!r}: one of {', '.join(PRECISIONS)}.")
    found: Dict[str, torch.Tensor] = {}
    for name, weight in unpacked(state).items():
        if not weight.is_floating_point() or precision == "float32":
            found[name] = weight
        elif precision == "float16":
            found[name] = weight.half()
            if not torch.isfinite(found[name]).all():
                raise ConfigurationError(
                    f"{name} has weights that float16 cannot hold. Take another precision."
                )
        elif weight.dim() < 2 or weight.shape[-1] < _LONG_ROW:
            found[name] = weight
        else:
            largest = weight.abs().amax(-1, keepdim=True)
            scale = (largest / 127).clamp(min=torch.finfo(torch.float32).tiny)
            found[name] = (weight / scale).round().to(torch.int8)
            found[name + _SCALE] = scale
    return found


def unpacked(state: State) -> Dict[str, torch.Tensor]:
    """The same weights in float32; those that were not packed as they are."""
    found: Dict[str, torch.Tensor] = {}
    for name, weight in state.items():
        if name + _SCALE in state:
            found[name] = weight.float() * state[name + _SCALE]
        elif not name.endswith(_SCALE):
            found[name] = weight.float() if weight.dtype == torch.float16 else weight
    return found
