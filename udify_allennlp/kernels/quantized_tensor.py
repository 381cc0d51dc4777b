"""
One quantized matrix, for stored weights and for products in 8 bits: the only place that rounds.
"""

from typing import NamedTuple, Optional

import torch
from torch.nn import functional

BLOCK = 64
"""The number of weights that share a scale in 4 bits."""
# Added to a float32 number between -128 and 127, it rounds it, half to even: the last byte of the
# sum is the whole number plus 128.
_TO_BYTE = 1.5 * 2**23 + 128
_HIGHEST = {8: 127, 4: 7}
# The smallest scale in float16; 0 is none.
_LEAST = torch.finfo(torch.float16).tiny
_SCALE_BITS = {8: 8, 4: 6}
"""
Significant bits of a scale, by those of its numbers: as few as leave the largest number of a block
within half a step. More take room in a compressed archive, and the numbers are no more exact.
"""


class QuantizedTensor(NamedTuple):
    """
    Whole numbers from `-highest` to `highest`, 127 in 8 bits and 7 in 4, and scales: a weight is a
    number times its scale. The three layouts differ in which numbers share a scale:

    - rows: one float32 scale for each row along the last axis. Only these take part in products.
    - blocks: one float16 scale for each 64 numbers of a row.
    - table: one float16 scale for as many rows as have 64 numbers together.

    Rounding is to the nearest number, so no weight is off by more than half its scale.
    """

    numbers: torch.Tensor
    """
    In 8 bits, int8 with the weight's shape; in 4 bits, uint8 with two numbers in a byte, the first
    in the lower half, each plus 7.
    """
    scale: torch.Tensor
    """Rows: `(..., rows, 1)`; blocks: `(..., rows, width / 64)`; table: `(groups,)`."""
    bits: int = 8

    @classmethod
    def of_rows(cls, weight: torch.Tensor) -> "QuantizedTensor":
        """Quantizes a float32 weight of two or more axes to 8 bits."""
        scale = _with_few_bits(_row_scale(weight), 8)
        return cls((weight / scale).round().to(torch.int8), scale)

    @classmethod
    def of_blocks(cls, weight: torch.Tensor) -> "QuantizedTensor":
        """
        Quantizes a float32 weight to 4 bits; its rows must be divisible by 64.

        # Raises

        `OverflowError` if float16 cannot hold a scale.
        """
        blocks = weight.unflatten(-1, (-1, BLOCK))
        scale = _half_scale(blocks.abs().amax(-1, keepdim=True), 4)
        numbers = _rounded(blocks / scale.float(), 4)
        return cls(numbers.flatten(-2).contiguous(), scale.squeeze(-1), 4)

    @classmethod
    def of_table(cls, weight: torch.Tensor, bits: int) -> "QuantizedTensor":
        """
        Quantizes a float32 matrix whose short rows divide 64.

        # Raises

        `OverflowError` if float16 cannot hold a scale.
        """
        rows, together = weight.abs().amax(-1), BLOCK // weight.shape[1]
        groups = functional.pad(rows, (0, -len(rows) % together)).unflatten(0, (-1, together))
        scale = _half_scale(groups.amax(-1), bits)
        return cls(_rounded(weight / _of_table_rows(scale, weight), bits), scale, bits)

    def unpack(self) -> torch.Tensor:
        """
        Returns the weight in float32.

        # Raises

        `ValueError` if rows and scales do not fit.
        """
        if self.numbers.layout != torch.strided:
            return self._replace(numbers=self.numbers.to_dense().t()).unpack()
        numbers = self.numbers.float() if self.bits == 8 else _from_bytes(self.numbers)
        if self.scale.dim() == 1:
            return numbers.mul_(_of_table_rows(self.scale, numbers))
        if self.bits == 8:
            if self.scale.shape != (*numbers.shape[:-1], 1):  # it would be spread over a larger one
                raise ValueError(
                    f"a matrix of shape {tuple(numbers.shape)} has scales of shape "
                    f"{tuple(self.scale.shape)}"
                )
            return numbers.mul_(self.scale)
        numbers.unflatten(-1, (-1, BLOCK)).mul_(self.scale.float().unsqueeze(-1))
        return numbers

    def rows(self, ids: torch.Tensor) -> torch.Tensor:
        """Returns `unpack()[ids]`, for the numbers of rows `(n,)` of a matrix."""
        numbers = self.numbers.index_select(0, ids)
        if self.scale.dim() == 2:
            return self._replace(numbers=numbers, scale=self.scale.index_select(0, ids)).unpack()
        numbers = numbers.float() if self.bits == 8 else _from_bytes(numbers)
        together = BLOCK // numbers.shape[1]
        return numbers.mul_(self.scale.index_select(0, ids // together).float().unsqueeze(1))

    def laid_out(self) -> "QuantizedTensor":
        """
        Returns the same matrix of rows in the order that `matmul` needs, which depends on the
        processor, so it cannot be saved.

        # Raises

        `AttributeError` or `RuntimeError` if torch has no such product for the processor.
        """
        return self._replace(numbers=torch.ops.onednn.qlinear_prepack(self.numbers, None))

    def matmul(
        self, x: torch.Tensor, bias: torch.Tensor, input_scale: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        """
        Returns `x W^T + bias`, float32 `(..., in)` to float32 `(..., out)`, for a matrix that is
        `laid_out`; no gradient. With `input_scale`, a scalar, it is the product of
        `rounded_inputs(x)`; else each row of `x` gets its own scale. In both cases rows do not
        depend on each other.
        """
        rows = x.detach().reshape(-1, x.shape[-1])
        if input_scale is None:
            scale = _row_scale(rows)
        else:
            scale = input_scale.expand(len(rows), 1)
            limit = input_scale * _HIGHEST[8]
            rows = rows.clamp(-limit, limit)
        # The fast products are those of unsigned by signed numbers.
        product = self.product((rows / scale).add_(_TO_BYTE).view(torch.int32).to(torch.uint8))
        torch.addcmul(bias, product, scale, out=product)
        return product.view(*x.shape[:-1], len(self.scale))

    def product(self, numbers: torch.Tensor) -> torch.Tensor:
        """
        Returns the product, `(rows, out)` in float32, of whole numbers `(rows, in)` in 8 bits, of
        which 128 is 0, and the matrix, which is `laid_out`.
        """
        product: torch.Tensor = torch.ops.onednn.qlinear_pointwise(
            numbers, 1.0, 128, self.numbers, self.scale.flatten(),
            torch.zeros(len(self.scale), dtype=torch.int32), None,
            1.0, 0, torch.float32, "none", [], "",
        )  # fmt: skip
        return product


def rounded_inputs(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """
    Returns activations `(...)` in float32, rounded for a product in 8 bits: whole numbers from -127
    to 127 times `scale`, a scalar; larger magnitudes are clipped.
    """
    highest = _HIGHEST[8]
    return (x / scale).clamp(-highest, highest).round() * scale


def _row_scale(rows: torch.Tensor) -> torch.Tensor:
    """Returns the scale of each row, `(..., 1)`, in 8 bits; above 0 even for a row of zeros."""
    # Not `abs`, which makes a copy: activations come through here at each product.
    largest = torch.maximum(rows.amax(-1, keepdim=True), -rows.amin(-1, keepdim=True))
    return largest.div_(_HIGHEST[8]).clamp_(min=torch.finfo(torch.float32).tiny)


def _half_scale(largest: torch.Tensor, bits: int) -> torch.Tensor:
    scale = _with_few_bits((largest / _HIGHEST[bits]).clamp(min=_LEAST), bits).half()
    if not torch.isfinite(scale).all():
        raise OverflowError("a scale is too large for float16")
    return scale


def _with_few_bits(scale: torch.Tensor, bits: int) -> torch.Tensor:
    """Rounds scales, in float32, to their significant bits; the rest of each is 0."""
    fraction, exponent = torch.frexp(scale)
    steps = 2 ** _SCALE_BITS[bits]
    return torch.ldexp((fraction * steps).round_() / steps, exponent)


def _rounded(weight: torch.Tensor, bits: int) -> torch.Tensor:
    """Returns the numbers in their stored form."""
    numbers = weight.round().clamp(-_HIGHEST[bits], _HIGHEST[bits]).to(torch.int8)
    if bits == 8:
        return numbers
    low, high = (numbers + 7).to(torch.uint8).unflatten(-1, (-1, 2)).unbind(-1)
    return low | high << 4


def _from_bytes(numbers: torch.Tensor) -> torch.Tensor:
    """Returns two numbers of 4 bits from each byte, in float32."""
    # Signed, which the exporter to ONNX gets right.
    halves = (numbers & 15).to(torch.int8), (numbers >> 4).to(torch.int8)
    return torch.stack(halves, -1).flatten(-2).float().sub_(7)


def _of_table_rows(scale: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Returns the scale of each row of a table, `(rows, 1)`, from those of groups."""
    spread = scale.float().repeat_interleave(BLOCK // rows.shape[1])
    return spread[: len(rows)].unsqueeze(1)
