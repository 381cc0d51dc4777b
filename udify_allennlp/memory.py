"""Memory that the process has freed, and the system does not know of."""

import ctypes
import sys


def give_back() -> None:
    """
    Gives the holes between live blocks back to the system; does nothing where the C library is not
    glibc. glibc keeps them, and before 2.38 it often cannot use the hole of an aligned block, such
    as a tensor, for another of the same size: what a process holds grows to twice what it uses.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
