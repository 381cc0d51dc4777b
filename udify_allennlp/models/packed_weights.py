"""Weights on the disk in fewer bits than float32; loaded, they are float32 again."""

from typing import Dict, Mapping

import torch
from allennlp.common.checks import ConfigurationError

PRECISIONS = ("float32", "float16", "int8", "int4")
_SCALE = ".int8_scale"
_BLOCK_SCALE = ".int4_scale"
# Numbers of a row that share a scale in int4.
_BLOCK = 64
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
    - `int4`: the same with whole numbers from -7 to 7, two in a byte, and a scale (in float16) for
      each 64 numbers of a row; an eighth of the size. Rows that 64 does not divide are as in int8.

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
            found[name] = _half(weight, name)
        elif weight.dim() < 2 or weight.shape[-1] < _LONG_ROW:
            found[name] = weight
        elif precision == "int4" and weight.shape[-1] % _BLOCK == 0:
            blocks = weight.unflatten(-1, (-1, _BLOCK))
            least = torch.finfo(torch.float16).tiny
            scale = _half((blocks.abs().amax(-1, keepdim=True) / 7).clamp(min=least), name)
            numbers = (blocks / scale.float()).round().clamp(-7, 7).to(torch.int8) + 7
            low, high = numbers.to(torch.uint8).flatten(-2).unflatten(-1, (-1, 2)).unbind(-1)
            found[name] = low | high << 4
            found[name + _BLOCK_SCALE] = scale.squeeze(-1)
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
        elif name + _BLOCK_SCALE in state:
            numbers = torch.stack([weight & 15, weight >> 4], -1).flatten(-2).float() - 7
            scale = state[name + _BLOCK_SCALE].float().unsqueeze(-1)
            found[name] = (numbers.unflatten(-1, (-1, _BLOCK)) * scale).flatten(-2)
        elif not name.endswith((_SCALE, _BLOCK_SCALE)):
            found[name] = weight.float() if weight.dtype == torch.float16 else weight
    return found


def _half(weight: torch.Tensor, name: str) -> torch.Tensor:
    found = weight.half()
    if not torch.isfinite(found).all():
        raise ConfigurationError(
            f"{name} has weights that float16 cannot hold. Take another precision."
        )
    return found
