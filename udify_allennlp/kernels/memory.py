"""Memory that libraries keep for later without need."""

import ctypes
import os
import sys


def keep_few_products() -> None:
    """
    oneDNN, the library behind bfloat16 and int8 on a CPU, keeps what it made for each shape of a
    product: of 1,024 shapes, a gigabyte. 64 are as fast. It reads this when it first multiplies.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def give_back() -> None:
    """
    Gives the holes between live blocks back to the system; does nothing where the C library is not
    glibc. glibc keeps them, and before 2.38 it often cannot use the hole of an aligned block, such
    as a tensor, for another of the same size: the memory of a process grows to twice its use.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
