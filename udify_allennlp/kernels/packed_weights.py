"""Weights stored in fewer bits than float32; once loaded, they are float32 again."""

from collections.abc import Mapping, Sequence
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.quantized_tensor import BLOCK, QuantizedTensor

STORED_PRECISIONS = ("float32", "float16", "int8", "int4")
"""Precisions of stored weights; those of computing are `precision.COMPUTE_PRECISIONS`."""
# By bits, how the name of the scales of a weight ends.
_SCALES = {8: ".int8_scale", 4: ".int4_scale"}
# How the name of the scale of a linear layer's inputs ends, after the name of its weight.
_INPUT_SCALE = ".int8_input_scale"
LONG_ROW = 32
"""Row length from which a separate scale adds little to the size."""
# Numbers of a matrix from which on it matters for the size.
_LARGE = 2**16

State = Mapping[str, torch.Tensor]


def packed(state: State, precision: str) -> dict[str, torch.Tensor]:
    """
    Returns weights by name, in the form in which they are saved.

    - `float16`: rounded to 11 significant bits; half the size.
    - `int8`: matrices to whole numbers from -127 to 127, with a scale for each row (along the last
      axis), so that no error exceeds half a 126th of the row's largest number; a quarter of the
      size. Vectors, such as biases, stay float32; short rows of small matrices become float16. In a
      large table of short rows whose length divides 64, as many as have 64 numbers share a scale
      (in float16).
    - `int4`: the same with whole numbers from -7 to 7, two in a byte, and a scale (in float16) for
      each 64 numbers of a row; an eighth of the size. Matrices of fewer than 65,536 numbers, and
      rows that 64 does not divide, are as in int8: a segmenter lost one point with small matrices
      in 4 bits, and none with its table.

    # Raises

    `ConfigurationError` if the precision is unknown, or a weight is too large for it.
    """
    if precision not in STORED_PRECISIONS:
        raise ConfigurationError(
            f"--precision is {precision!r}. Use one of {', '.join(STORED_PRECISIONS)}."
        )
    packed_state: dict[str, torch.Tensor] = {}
    for name, weight in unpacked(state).items():
        packed_state.update(_packed_one(name, weight, precision, weight.numel()))
    return packed_state


def rounded(weight: torch.Tensor, precision: str, size: int = 0) -> torch.Tensor:
    """
    Returns a weight after packing and unpacking. For some rows of a larger weight, `size` is the
    size of that weight.
    """
    return unpacked(_packed_one("", weight, precision, size or weight.numel()))[""]


def rounded_together(weights: Sequence[torch.Tensor], precision: str) -> list[torch.Tensor]:
    """
    Returns `rounded` of each weight. On a GPU, where each small operation costs the CPU time, those
    in blocks of 4 bits are rounded as one.
    """
    in_blocks = {
        i: weight
        for i, weight in enumerate(weights)
        if precision == "int4" and weight.is_cuda and _has_blocks(weight, weight.numel())
    }
    values = [
        weight if i in in_blocks else rounded(weight, precision) for i, weight in enumerate(weights)
    ]
    if in_blocks:
        rows = [weight.reshape(-1, BLOCK) for weight in in_blocks.values()]
        parts = rounded(torch.cat(rows), precision).split([len(some) for some in rows])
        for (i, weight), part in zip(in_blocks.items(), parts, strict=True):
            values[i] = part.view_as(weight)
    return values


def _packed_one(name: str, weight: torch.Tensor, precision: str, size: int) -> State:
    if not weight.is_floating_point() or precision == "float32":
        return {name: weight}
    if precision == "float16":
        half = weight.half()
        if not torch.isfinite(half).all():
            raise _too_large(name)
        return {name: half}
    try:
        quantized = _quantized(weight, 8 if precision == "int8" else 4, size)
    except OverflowError:
        raise _too_large(name) from None
    if quantized is None:
        return _packed_one(name, weight, "float16" if weight.dim() > 1 else "float32", size)
    return {name: quantized.numbers, name + _SCALES[quantized.bits]: quantized.scale}


def _quantized(weight: torch.Tensor, bits: int, size: int) -> Optional[QuantizedTensor]:
    """Returns the quantized weight; `None` for vectors, and short rows of small matrices."""
    if _is_table(weight):
        return QuantizedTensor.of_table(weight, bits)
    if weight.dim() < 2 or (weight.shape[-1] < LONG_ROW and size < _LARGE):
        return None
    if bits == 4 and _has_blocks(weight, size):
        return QuantizedTensor.of_blocks(weight)
    return QuantizedTensor.of_rows(weight)


def _has_blocks(weight: torch.Tensor, size: int) -> bool:
    """Returns whether 4 bits store a weight in blocks, not in rows or as a table."""
    whole = weight.dim() >= 2 and weight.shape[-1] % BLOCK == 0 and size >= _LARGE
    return whole and weight.is_floating_point() and not _is_table(weight)


def with_input_scales(state: State, scales: State) -> dict[str, torch.Tensor]:
    """Packed weights, and scales of the inputs of linear layers, by the names of their weights."""
    return {**state, **{name + _INPUT_SCALE: scale for name, scale in scales.items()}}


def input_scales(state: State) -> dict[str, torch.Tensor]:
    """The scales that `with_input_scales` put there, by the names of weights."""
    return {
        name.removesuffix(_INPUT_SCALE): scale
        for name, scale in state.items()
        if name.endswith(_INPUT_SCALE)
    }


def unpacked(state: State) -> dict[str, torch.Tensor]:
    """
    Returns the weights in float32, without the scales of inputs; weights that were not packed are
    unchanged.
    """
    weights: dict[str, torch.Tensor] = {}
    for name, weight in state.items():
        if name.endswith(_INPUT_SCALE):
            continue
        table = quantized_in(state, name)
        if table is not None:
            weights[name] = table.unpack()
        elif not name.endswith(tuple(_SCALES.values())):
            weights[name] = weight.float() if weight.dtype == torch.float16 else weight
    return weights


def quantized_in(state: State, name: str) -> Optional[QuantizedTensor]:
    """Returns the quantized weight of a name; `None` if it is not quantized."""
    for bits, ending in _SCALES.items():
        if name + ending in state:
            return QuantizedTensor(state[name], state[name + ending], bits)
    return None


def _is_table(weight: torch.Tensor) -> bool:
    """Returns whether the weight is a large matrix of short rows, several of which make a block."""
    if weight.dim() != 2 or weight.numel() < _LARGE:
        return False
    return 2 <= weight.shape[1] < LONG_ROW and BLOCK % weight.shape[1] == 0


def _too_large(name: str) -> ConfigurationError:
    return ConfigurationError(
        f"{name} has weights that float16 cannot hold. Use another precision."
    )
