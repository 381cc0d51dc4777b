"""Weights on the disk in fewer bits than float32; loaded, they are float32 again."""

from typing import Dict, Mapping

import torch
from allennlp.common.checks import ConfigurationError
from torch.nn import functional

PRECISIONS = ("float32", "float16", "int8", "int4")
_SCALE = ".int8_scale"
_BLOCK_SCALE = ".int4_scale"
# Numbers of a row that share a scale in int4.
_BLOCK = 64
# Numbers of a row from which on a scale of its own is a small part of it.
_LONG_ROW = 32
# Numbers of a matrix from which on it matters for the size.
_LARGE = 2**16

# The least scale: in float16 none is 0.
_LEAST = torch.finfo(torch.float16).tiny

State = Mapping[str, torch.Tensor]


def packed(state: State, precision: str) -> Dict[str, torch.Tensor]:
    """
    Weights by name, as they are saved.

    - `float16`: rounded to 11 significant bits; half the size.
    - `int8`: matrices to whole numbers from -127 to 127, with a scale for each row (along the last
      axis), so that none is off by more than half a 127th of the row's largest; a quarter of the
      size. Vectors, such as biases, and short rows of small matrices stay float32. In a large table
      of short rows whose length divides 64, as many as have 64 numbers share a scale (in float16).
    - `int4`: the same with whole numbers from -7 to 7, two in a byte, and a scale (in float16) for
      each 64 numbers of a row; an eighth of the size. Matrices of fewer than 65,536 numbers, and
      rows that 64 does not divide, are as in int8: a segmenter lost one point by small ones in 4
      bits, and nothing by its table.

    # Raises

    `ConfigurationError` if there is no such precision, or a weight is too large for it.
    """
    if precision not in PRECISIONS:
        raise ConfigurationError(f"--precision is {precision!r}: one of {', '.join(PRECISIONS)}.")
    found: Dict[str, torch.Tensor] = {}
    for name, weight in unpacked(state).items():
        found.update(_packed_one(name, weight, precision, weight.numel()))
    return found


def rounded(weight: torch.Tensor, precision: str, size: int = 0) -> torch.Tensor:
    """
    A weight as it is after it was packed and unpacked. Of some rows of a larger one, `size` is how
    many numbers that has.
    """
    return unpacked(_packed_one("", weight, precision, size or weight.numel()))[""]


def _packed_one(name: str, weight: torch.Tensor, precision: str, size: int) -> State:
    if not weight.is_floating_point() or precision == "float32":
        return {name: weight}
    if precision == "float16":
        return {name: _half(weight, name)}
    if _is_table(weight):
        highest, together = 127 if precision == "int8" else 7, _BLOCK // weight.shape[1]
        rows = weight.abs().amax(-1)
        groups = functional.pad(rows, (0, -len(rows) % together)).unflatten(0, (-1, together))
        scale = _half((groups.amax(-1) / highest).clamp(min=_LEAST), name)
        numbers = (weight / _of_rows(scale, weight)).round().clamp(-highest, highest)
        if precision == "int8":
            return {name: numbers.to(torch.int8), name + _SCALE: scale}
        return {name: _two_in_a_byte(numbers), name + _BLOCK_SCALE: scale}
    if weight.dim() < 2 or (weight.shape[-1] < _LONG_ROW and size < _LARGE):
        return {name: weight}
    if precision == "int4" and weight.shape[-1] % _BLOCK == 0 and size >= _LARGE:
        blocks = weight.unflatten(-1, (-1, _BLOCK))
        scale = _half((blocks.abs().amax(-1, keepdim=True) / 7).clamp(min=_LEAST), name)
        numbers = (blocks / scale.float()).round().clamp(-7, 7)
        packed_numbers = _two_in_a_byte(numbers.flatten(-2))
        return {name: packed_numbers, name + _BLOCK_SCALE: scale.squeeze(-1)}
    largest = weight.abs().amax(-1, keepdim=True)
    scale = (largest / 127).clamp(min=torch.finfo(torch.float32).tiny)
    return {name: (weight / scale).round().to(torch.int8), name + _SCALE: scale}


def unpacked(state: State) -> Dict[str, torch.Tensor]:
    """The same weights in float32; those that were not packed as they are."""
    found: Dict[str, torch.Tensor] = {}
    for name, weight in state.items():
        if name + _SCALE in state:
            scale = state[name + _SCALE]
            found[name] = weight.float() * (_of_rows(scale, weight) if scale.dim() == 1 else scale)
        elif name + _BLOCK_SCALE in state:
            numbers = torch.stack([weight & 15, weight >> 4], -1).flatten(-2).float().sub_(7)
            scale = state[name + _BLOCK_SCALE].float()
            if scale.dim() == 1:
                found[name] = numbers * _of_rows(scale, numbers)
            else:
                numbers.unflatten(-1, (-1, _BLOCK)).mul_(scale.unsqueeze(-1))
                found[name] = numbers
        elif not name.endswith((_SCALE, _BLOCK_SCALE)):
            found[name] = weight.float() if weight.dtype == torch.float16 else weight
    return found


def _is_table(weight: torch.Tensor) -> bool:
    """Whether it is a large matrix of short rows of which some make a block."""
    if weight.dim() != 2 or weight.numel() < _LARGE:
        return False
    return 2 <= weight.shape[1] < _LONG_ROW and _BLOCK % weight.shape[1] == 0


def _of_rows(scale: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The scale of each row, `(rows, 1)`, from those of blocks."""
    spread = scale.float().repeat_interleave(_BLOCK // rows.shape[1])
    return spread[: len(rows)].unsqueeze(1)


def _two_in_a_byte(numbers: torch.Tensor) -> torch.Tensor:
    """Whole numbers from -7 to 7."""
    low, high = (numbers.to(torch.int8) + 7).to(torch.uint8).unflatten(-1, (-1, 2)).unbind(-1)
    return low | high << 4


def _half(weight: torch.Tensor, name: str) -> torch.Tensor:
    found = weight.half()
    if not torch.isfinite(found).all():
        raise ConfigurationError(
            f"{name} has weights that float16 cannot hold. Take another precision."
        )
    return found
