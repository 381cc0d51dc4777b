"""Scaled dot-product attention with dropout that is cheap to train on a CPU."""

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from typing import Any, Optional

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from udify_allennlp.kernels.dropout import random_keep

NAME = "udify_cpu"
_KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_LANES = 16
"""Numbers in float32 that a processor with AVX-512 computes at once."""


def attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: Optional[torch.Tensor],
    dropout: float = 0.0,
    scaling: Optional[float] = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """
    Returns `softmax(query key^T * scaling + mask)`, with `dropout`, times `value` (Vaswani et al.
    2017, equation 1), with the signature of an attention function of transformers: `query`, `key`,
    `value` `(batch, heads, n, dim)`, the mask `(batch, 1, n, n)`, True where a piece may attend;
    the result is `(batch, n, heads, dim)`.

    PyTorch's fast CPU kernel has no dropout: with dropout, it keeps several float32 copies of all n
    x n probabilities. Here the backward pass computes them again, and only a byte for each, the
    dropout mask, is kept. Without dropout, and on other devices, this is PyTorch's function; on a
    GPU without cuDNN's kernel, which is prepared for each new shape of a batch (4 ms on an H100,
    which computes it in 0.1 ms).

    Without dropout on a CPU with AVX-512, sentences of 8 to 15 or 24 to 31 pieces, and so on, get
    keys of padding up to a multiple of 16: PyTorch computes the numbers beyond one by one, which
    takes up to three times as long as 16 more.
    """
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    if dropout == 0 or query.device.type != "cpu":
        key, value, attention_mask = _widened(key, value, attention_mask)
        with sdpa_kernel(_KERNELS) if query.is_cuda else nullcontext():
            mixed = torch.nn.functional.scaled_dot_product_attention(
                query, key, value, attn_mask=attention_mask, dropout_p=dropout, scale=scaling
            )
    else:
        mixed = _Attend.apply(query, key, value, attention_mask, dropout, scaling)
    return mixed.transpose(1, 2).contiguous(), None


def _widened(
    key: torch.Tensor, value: torch.Tensor, mask: Optional[torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor]]:
    """Returns keys, values and mask with padding, if they are then used faster."""
    if torch.compiler.is_compiling() or key.device.type != "cpu" or not _has_lanes():
        return key, value, mask
    length = key.shape[-2]
    more = -length % _LANES
    if not 0 < more <= _LANES // 2:
        return key, value, mask
    if mask is None:
        mask = torch.ones(1, 1, 1, length, dtype=torch.bool)
    pad = torch.nn.functional.pad
    return pad(key, (0, 0, 0, more)), pad(value, (0, 0, 0, more)), pad(mask, (0, more))


@cache
def _has_lanes() -> bool:
    return torch.backends.cpu.get_cpu_capability() == "AVX512"


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: Optional[torch.Tensor],
        dropout: float,
        scaling: float,
    ) -> torch.Tensor:
        probabilities = _probabilities(query, key, mask, scaling)
        keep, ctx.scale = random_keep(probabilities, dropout, bits=16)
        ctx.save_for_backward(query, key, value, mask, keep)
        ctx.scaling = scaling
        return (probabilities.mul_(keep) @ value).mul_(ctx.scale)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        query, key, value, mask, keep = ctx.saved_tensors
        grad = grad * ctx.scale
        probabilities = _probabilities(query, key, mask, ctx.scaling)
        grad_value = (probabilities * keep).transpose(-1, -2) @ grad
        pulled = (grad @ value.transpose(-1, -2)).mul_(keep)
        # Through the softmax: what all of a row pull together does not move it.
        pulled = pulled.mul_(probabilities)
        total = pulled.sum(-1, keepdim=True)
        pulled.addcmul_(probabilities, total, value=-1).mul_(ctx.scaling)
        return pulled @ key, pulled.transpose(-1, -2) @ query, grad_value, None, None, None


def _probabilities(
    query: torch.Tensor, key: torch.Tensor, mask: Optional[torch.Tensor], scaling: float
) -> torch.Tensor:
    scores = (query * scaling) @ key.transpose(-1, -2)
    if mask is not None:
        # Not -inf: padding may see nothing at all, and NaN would reach words in the next layer.
        scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    # torch sums the row in float32 whatever the dtype.
    return scores.softmax(-1)


def use_fast_attention(model: Any) -> bool:
    """
    Makes a transformers `model` attend with `attention`, if its version and architecture allow it:
    an encoder of transformers 5 with scaled dot-product attention and one mask for all layers.
    Returns False if it is unchanged.
    """
    try:
        from transformers.masking_utils import create_bidirectional_mask
    except ImportError:
        return False
    code = sys.modules[type(model).__module__]
    shared_masks = hasattr(code, create_bidirectional_mask.__name__)
    if model.config._attn_implementation != "sdpa" or not shared_masks:
        return False
    try:
        calls_of(model, NAME, attention)
    except (*REFUSALS, ImportError):
        model.set_attn_implementation("sdpa")
        return False
    return True


REFUSALS = (ValueError, KeyError, TypeError, AttributeError, RuntimeError)
"""Errors of `calls_of` for encoders that cannot attend with another function."""


def calls_of(model: Any, name: str, function: Any) -> list[tuple[torch.nn.Module, int]]:
    """
    Makes the `model` attend with a `function` such as `attention`, under a name, from now on.

    # Returns

    The modules that attend, lowest layer first, and the widths of their heads, found by encoding
    two pieces, and one with padding.

    # Raises

    `REFUSALS` if it cannot, or needs more than `attention` supports; `ImportError` before
    transformers 5.
    """
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    met: list[tuple[torch.nn.Module, int]] = []

    def meet(
        module: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: Optional[torch.Tensor],
        **more: Any,
    ) -> Any:
        _check(module, query, key, {**more, "attention_mask": attention_mask})
        met.append((module, query.shape[-1]))
        return function(module, query, key, value, attention_mask, **more)

    AttentionMaskInterface.register(name, sdpa_mask)
    training = model.training
    try:
        AttentionInterface.register(name, meet)
        model.set_attn_implementation(name)
        device = next(model.parameters()).device
        pieces = torch.zeros(2, 2, dtype=torch.long, device=device)
        seen = torch.tensor([[1, 1], [1, 0]], device=device)
        with torch.no_grad():
            model.eval()(input_ids=pieces, attention_mask=seen)
    finally:
        AttentionInterface.register(name, function)
        model.train(training)
    return met


def _check(module: Any, query: torch.Tensor, key: torch.Tensor, more: Mapping[str, Any]) -> None:
    """
    Raises `ValueError` for anything that `attention` does not support, since it would be ignored
    silently.
    """
    if getattr(module, "is_causal", False) or more.get("is_causal"):
        raise ValueError("its pieces attend only to those before them")
    if query.shape[1] != key.shape[1]:
        raise ValueError("its heads share keys")
    mask = more["attention_mask"]
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError("its masks are added numbers")
    for name in ("position_bias", "softcap", "s_aux"):
        if more.get(name) is not None:
            raise ValueError(f"its attention has a {name}")
