"""Scattered cross-attention, a sign of hallucination (Mohammadshahi 2023, section 5.4.1)."""

from collections.abc import Sequence
from statistics import fmean
from typing import Optional

import torch


def alignment_variance(attention: torch.Tensor) -> float:
    """
    `var = 1 / (|I| |J|) sum_i sum_j a_ij (mu_i - j)^2` with `mu_i = sum_j j a_ij` (Eq 5.2). It is 0
    if each target piece attends to a different source piece, and large if all attend to the same
    one. In the equation, `i` is a position in the source and `j` one in the target, without
    normalization over `j`. With the two exchanged, which is the usual layout of attention, the
    measure would be 0 if all target pieces attended to one source piece.

    # Parameters

    attention : `torch.Tensor`
        `(source, target)`: the attention of the target piece `j` to the source piece `i`, the mean
        over all layers and heads; without padding, codes and `</s>`. Both sides are at least 1.
    """
    attention = attention.double()
    places = torch.arange(1, attention.shape[1] + 1, dtype=torch.float64)
    means = (attention * places).sum(1, keepdim=True)
    return float((attention * (means - places).square()).mean())


def relative_alignment(base: Sequence[float], compressed: Sequence[float]) -> Optional[float]:
    """
    `lambda = var_compressed / var_base` (Eq 5.1), of the means over sentences; above 1 the
    compressed model's attention is more scattered. `None` if there are no sentences, or the base
    is 0. The thesis leaves open whether it divides means or takes the mean of ratios.
    """
    if not base or not compressed or not fmean(base):
        return None
    return fmean(compressed) / fmean(base)
