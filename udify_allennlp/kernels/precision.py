"""
Prediction in fewer bits than float32: a faster encoder at the cost of a few hundredths of a point.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.memory import keep_few_products
from udify_allennlp.kernels.products import linear_layers
from udify_allennlp.kernels.quantized_tensor import QuantizedTensor

_HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
COMPUTE_PRECISIONS = ("float32", *_HALVES, "int8")
"""Precisions of computing; those of stored weights are `packed_weights.STORED_PRECISIONS`."""


def check(precision: str) -> None:
    """
    # Raises

    `ConfigurationError` if `precision` is not one of `COMPUTE_PRECISIONS`.
    """
    if precision not in COMPUTE_PRECISIONS:
        raise ConfigurationError(
            f"model.precision is {precision!r}. Use one of {', '.join(COMPUTE_PRECISIONS)}."
        )


def lower(encoder: torch.nn.Module, precision: str) -> None:
    """
    Lowers the linear layers of an encoder in place, once, after its weights are loaded and it is on
    its device; it can then be neither trained nor saved, except in `float32`, which changes
    nothing. `context` and `encoder_context` do the rest.

    - `bfloat16`, `float16`: the weights are converted, so that autocast need not convert them for
      every batch, which would take longer than a batch of one sentence.
    - `int8`: each becomes an `Int8Linear`; everything else stays float32. A module with
      `merge_products` first makes one product of several.

    # Raises

    `ConfigurationError` if the device does not support the precision.
    """
    device = next(encoder.parameters()).device
    if device.type == "cpu" and precision != "float32":
        keep_few_products()
    if precision == "float16" and device.type == "cpu":
        raise ConfigurationError(
            "model.precision is 'float16', which is for GPUs. On a CPU use 'bfloat16' or 'int8', "
            "or parse on a GPU with --cuda-device 0."
        )
    if precision == "int8":
        if device.type != "cpu":
            raise ConfigurationError(
                f"model.precision is 'int8', which is for CPUs, but the model is on {device}. Use "
                "'bfloat16' or 'float16' there, or omit --cuda-device."
            )
        if not int8_is_exact():
            raise ConfigurationError(
                "model.precision is 'int8', but this processor or this build of torch cannot "
                "multiply int8 without overflow (it needs x86 with VNNI). Use 'float32'."
            )
        for module in list(encoder.modules()):
            merge: Any = getattr(module, "merge_products", None)
            if merge is not None:
                merge()
    for module, name, child in linear_layers(encoder):
        if precision in _HALVES:
            child.to(_HALVES[precision])
        elif precision == "int8":
            setattr(module, name, Int8Linear(child))


def context(precision: str, device: torch.device, training: bool) -> AbstractContextManager[object]:
    """
    Returns the context of a model's forward pass. In half precision on a GPU this is autocast:
    products in 16 bits, layer norms and the sums around them in float32. On a CPU only the encoder
    is lowered (`encoder_context`).

    # Raises

    `ConfigurationError` in `training`, unless `precision` is `float32`.
    """
    if precision == "float32":
        # Not autocast switched off: the trainer may have switched it on.
        return nullcontext()
    if training:
        raise ConfigurationError(
            f"model.precision is {precision!r}, which is for prediction only. Remove it from the "
            "config, and use it with `allennlp predict` and `evaluate`: "
            f"""-o '{{"model.precision": "{precision}"}}'. Mixed precision in training is """
            "trainer.use_amp, or trainer.cpu_bfloat16 on a CPU."
        )
    if device.type == "cpu":
        return nullcontext()
    return torch.autocast(device.type, dtype=_HALVES[precision])


def encoder_context(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """
    Returns the context of an encoder that is lowered: on a CPU in half precision, autocast. What
    the encoder returns has to be `raised`, as decoders stay in float32 there: to convert their
    weights and inputs for each batch takes longer than their products save.
    """
    if device.type != "cpu" or precision not in _HALVES:
        return nullcontext()
    return torch.autocast("cpu", dtype=_HALVES[precision])


def raised(vectors: torch.Tensor) -> torch.Tensor:
    """Returns an encoder's vectors, on a CPU in float32 if they are in half precision."""
    is_half = vectors.device.type == "cpu" and vectors.dtype in _HALVES.values()
    return vectors.float() if is_half else vectors


class Int8Linear(torch.nn.Module):
    """
    `x W^T + b` with both factors in 8 bits: each row of `W` has a scale, set once, and each row of
    `x` has one, set for each input. So the rest of the batch affects a word's vector only by
    rounding, which moved one prediction in 700 between batches of 7 and of 1024 sentences (float32:
    none).

    With a single scale for all of `x`, which is what `torch.ao.quantization.quantize_dynamic` does,
    one outlier coarsens every word of the batch: LAS on UD_English-EWT fell by 1.9 instead of 0.04.

    # Parameters

    linear : `torch.nn.Linear`
        A float32 layer on the CPU, which is not changed.
    """

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        # A plain attribute: what is laid out for the processor cannot be saved.
        self._weight = QuantizedTensor.of_rows(linear.weight.detach()).laid_out()
        bias = linear.bias
        self._bias = torch.zeros(linear.out_features) if bias is None else bias.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps float32 `(..., in_features)` to float32 `(..., out_features)`; no gradient."""
        return self._weight.matmul(x, self._bias)

    def product(self, numbers: torch.Tensor) -> torch.Tensor:
        """The product alone, of an input that is rounded; see `QuantizedTensor.product`."""
        return self._weight.product(numbers)


def multiplies_bfloat16() -> bool:
    """
    Returns whether oneDNN multiplies bfloat16 on this processor. Otherwise, as on x86 with only
    AVX2, PyTorch's own loops take 25 times as long as float32.
    """
    try:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    except (AttributeError, RuntimeError):  # a build without oneDNN
        return False


def int8_is_exact() -> bool:
    """
    Returns whether int8 products are exact: without VNNI, oneDNN adds pairs of products in 16 bits,
    where the largest ones overflow; without oneDNN there is no product at all.
    """
    linear = torch.nn.Linear(64, 16, bias=False)
    torch.nn.init.ones_(linear.weight)
    try:
        product = Int8Linear(linear)(torch.ones(2, 64))
    except (AttributeError, RuntimeError):  # no such operator, or not for this processor
        return False
    return torch.allclose(product, torch.tensor(64.0), rtol=1e-3)
