"""
Scales for the inputs of linear layers in 8 bits, such that rounding costs the least squared error
(Wu et al. 2020, "Integer quantization for deep learning inference", section 4; Mohammadshahi 2023,
section 5.2.2).
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from udify_allennlp.kernels.packed_weights import LONG_ROW
from udify_allennlp.kernels.products import linear_layers

BINS = 2**15
HIGHEST = 127
_RATIO, _CANDIDATES = 1 / 64, 97
"""The smallest clip to try, as a share of the largest magnitude, and the number of clips to try."""


class MagnitudeHistogram:
    """
    A histogram of magnitudes with `BINS` bins of equal width. Their range is a power of two, and
    grows by joining neighbours, so counts do not depend on the order of the numbers.
    """

    def __init__(self) -> None:
        self.counts = torch.zeros(BINS, dtype=torch.int64)
        self.largest = 0.0
        """The largest magnitude so far."""
        self._range = 0.0

    def add(self, x: torch.Tensor) -> None:
        """Counts the magnitudes of all numbers in `x`, which are finite."""
        if not x.numel():
            return
        magnitudes = x.detach().abs().flatten().float().cpu()
        largest = float(magnitudes.max())
        self.largest = max(self.largest, largest)
        if largest == 0:
            self.counts[0] += magnitudes.numel()
            return
        wanted = 2.0 ** math.frexp(largest)[1]  # above the largest
        while 0 < self._range < wanted:
            joined = self.counts.view(-1, 2).sum(1)
            self.counts = torch.cat([joined, torch.zeros_like(joined)])
            self._range *= 2
        self._range = self._range or wanted
        bins = (magnitudes * (BINS / self._range)).long()
        self.counts += torch.bincount(bins, minlength=BINS)

    def error(self, clip: float) -> float:
        """
        Returns the mean squared error of rounding to -127..127 times `clip / 127`, with larger
        magnitudes clipped. Numbers count as the middle of their bin.
        """
        used = self.counts.nonzero().flatten()
        middles = (used.double() + 0.5) * (self._range / BINS)
        step = clip / HIGHEST
        rounded = (middles / step).round().clamp(max=HIGHEST) * step
        counts = self.counts[used].double()
        return float((counts * (rounded - middles).square()).sum() / counts.sum())

    def clip(self) -> float:
        """
        Returns the clip with the smallest error, at most the largest magnitude; 1 if all numbers
        are zero.
        """
        if self.largest == 0:
            return 1.0
        steps = torch.linspace(0, 1, _CANDIDATES, dtype=torch.float64)
        candidates = [self.largest * float(_RATIO**step) for step in steps]
        return min(candidates, key=self.error)  # of equal ones the largest, which comes first


class InputScales:
    """Histograms of the inputs of layers, filled by `recorded_inputs`."""

    def __init__(self) -> None:
        self._histograms: dict[str, MagnitudeHistogram] = {}

    def histogram(self, name: str) -> MagnitudeHistogram:
        """Returns the histogram of the inputs of the layer with this weight."""
        return self._histograms.setdefault(name, MagnitudeHistogram())

    def scales(self) -> dict[str, torch.Tensor]:
        """Returns the scale of the inputs of each used layer, by the name of its weight."""
        return {
            name: torch.tensor(histogram.clip() / HIGHEST)
            for name, histogram in self._histograms.items()
        }


@contextmanager
def recorded_inputs(model: torch.nn.Module) -> Iterator[InputScales]:
    """
    Records, within the context, the inputs of all linear layers of a model. Layers with fewer than
    32 inputs stay in float32, as their stored weights do.
    """
    recorded = InputScales()
    names = {module: name for name, module in model.named_modules()}
    handles = []
    for _, _, layer in linear_layers(model):
        if layer.in_features >= LONG_ROW:
            handles.append(
                layer.register_forward_pre_hook(_recorder(recorded, f"{names[layer]}.weight"))
            )
    try:
        yield recorded
    finally:
        for handle in handles:
            handle.remove()


def _recorder(recorded: InputScales, name: str) -> Any:
    def hook(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        recorded.histogram(name).add(inputs[0])

    return hook
