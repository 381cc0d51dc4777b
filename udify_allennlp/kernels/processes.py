"""The processes that train together, of which each learns from a part of the data."""

from typing import TypeVar

import torch
import torch.distributed
from allennlp.common.util import is_distributed

Number = TypeVar("Number", int, float)


def processes() -> int:
    """Returns the number of processes; 1 unless training is distributed."""
    return torch.distributed.get_world_size() if is_distributed() else 1


def common(number: Number, device: torch.device) -> Number:
    """
    Returns the number of the first process in all processes, which call this together. `device` is
    that of the process, over which NCCL sends it.
    """
    if not is_distributed():
        return number
    kind = torch.int64 if isinstance(number, int) else torch.float64
    tensor = torch.tensor(number, dtype=kind, device=device)
    torch.distributed.broadcast(tensor, src=0)
    return type(number)(tensor.item())


def share(batches: list[list[int]]) -> list[list[int]]:
    """
    Returns the batches of this process, the same number as for any other. The largest batches are
    split in two until the number of processes divides their number.
    """
    count = processes()
    if count == 1:
        return batches
    batches = list(batches)
    while len(batches) % count:
        largest = max(range(len(batches)), key=lambda i: len(batches[i]))
        batch = batches[largest]
        if len(batch) == 1:
            break
        batches[largest] = batch[: len(batch) // 2]
        batches.append(batch[len(batch) // 2 :])
    return batches[torch.distributed.get_rank() :: count]
