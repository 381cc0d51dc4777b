"""Batches as tensors."""

from collections.abc import Sequence
from typing import Any

import numpy
import torch

from udify_allennlp.data.array_batches import ArrayCollator


class Collator(ArrayCollator):
    """An `ArrayCollator` whose batches hold tensors on the CPU."""

    def __call__(self, rows: Sequence[int]) -> dict[str, Any]:
        batch: dict[str, Any] = _tensors(super().__call__(rows))
        return batch


def _tensors(values: Any) -> Any:
    if isinstance(values, numpy.ndarray):
        return torch.from_numpy(values)
    if isinstance(values, dict):
        return {name: _tensors(value) for name, value in values.items()}
    return values
