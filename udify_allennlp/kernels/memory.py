"""Memory: the size of intermediate results, and what libraries cache without need."""

import ctypes
import os
import sys

import torch

_ON_GPU = 16


def at_once(numbers: int, device: torch.device) -> int:
    """
    Returns the size of the largest intermediate tensor, in numbers: `numbers` on a CPU, 16 times as
    many on another device, where each chunk costs the CPU as much time as a large one.
    """
    return numbers if device.type == "cpu" else numbers * _ON_GPU


def keep_few_products() -> None:
    """
    Limits the cache of oneDNN, the library for bfloat16 and int8 on a CPU, which keeps an object
    for each shape of a product: a gigabyte for 1,024 shapes. 64 are as fast. oneDNN reads this
    setting at its first product.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def give_back() -> None:
    """
    Returns free memory between live blocks to the system; does nothing if the C library is not
    glibc. glibc keeps it, and before 2.38 it often cannot reuse the hole of an aligned block, such
    as a tensor, for another of the same size, so the memory of a process grows to twice its use.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
