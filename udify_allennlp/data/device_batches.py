"""Batches on the device that a model computes on."""

from collections.abc import Iterator
from typing import Any

import torch

from udify_allennlp.data.prefetch import prefetched


def on_device(batches: Iterator[dict[str, Any]], device: torch.device) -> Iterator[dict[str, Any]]:
    """
    Yields batches of `Collator` unchanged for a CPU. For a GPU, a separate thread makes them
    through pinned memory: the tensors that a model computes with are on the GPU.
    """
    if device.type == "cpu":
        return batches

    def sent(batch: dict[str, Any]) -> dict[str, Any]:
        # The current device of a new thread is the first GPU, whichever is ours.
        with torch.cuda.device(device):
            batch = _pinned(batch)
            return {name: _moved(part, device) for name, part in batch.items()}

    return prefetched(map(sent, batches))


def _moved(part: Any, device: torch.device) -> Any:
    """Returns the tensors that a model computes with, on its device; labels stay on the CPU."""
    if not isinstance(part, dict):
        return part
    return {
        name: value.to(device, non_blocking=True) if isinstance(value, torch.Tensor) else value
        for name, value in part.items()
    }


def _pinned(batch: Any) -> Any:
    if isinstance(batch, torch.Tensor):
        return batch.pin_memory()
    if isinstance(batch, dict):
        return {name: _pinned(value) for name, value in batch.items()}
    return batch
