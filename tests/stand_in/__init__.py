"""
A GPU's stand-in for machines without one: a device whose tensors are computed on the CPU, which
refuses what a GPU refuses (tensors of two devices in one operation), casts as autocast does there,
and counts what makes the CPU wait for one, as `torch.cuda.set_sync_debug_mode` does.

It is PyTorch's device for backends of others, so that all that asks `device.type == "cpu"` takes
the way of a GPU. It has none of a GPU's own kernels, nor pinned memory, streams, inference mode or
a scaler of gradients: those need a GPU (`make gpu-check`). It changes PyTorch for the rest of the
process: `--stand-in` alone asks for it (`conftest.py`), and `stand_in_test.py` in a process of its
own.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch.utils import _device, backend_registration

from tests.stand_in.autocast import casting
from tests.stand_in.tensor import NAME, Operators, waits


def is_available() -> bool:
    """Whether this PyTorch lets a device be written in Python."""
    return hasattr(backend_registration, "_setup_privateuseone_for_python_backend")


def set_up() -> torch.device:
    """The device, from now on."""
    if not _kept:
        # Which functions `with torch.device(...)` changes is listed once: before `used` does.
        _device._device_constructors()
        # The threads of a device for the backward pass, which the first one starts, outlive it.
        torch.ones(1, requires_grad=True).sum().backward()
        _kept.extend((_Module(), _of("_DummyPrivateUse1Hook")(), _of("_DummyDeviceGuard")()))
        _of("_setup_privateuseone_for_python_backend")(NAME, *_kept)
        _kept.extend(casting())
    return torch.device(NAME, 0)


@contextmanager
def used() -> Iterator[None]:
    """In here tensors can be made on the device and moved to it."""
    with ExitStack() as within:
        for make in (torch.tensor, torch.as_tensor):
            within.enter_context(patch.object(torch, make.__name__, _then_moved(make)))
        within.enter_context(torch.autograd.set_multithreading_enabled(False))
        within.enter_context(Operators())
        yield


@contextmanager
def watched(device: torch.device) -> Iterator[list[str]]:
    """What makes the CPU wait for the device in here: a GPU, or its stand-in."""
    found: list[str] = []
    if device.type == NAME:
        waits.clear()
        yield found
        found += waits
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield found
        finally:
            torch.cuda.set_sync_debug_mode("default")
    found += [str(each.message) for each in told if "synchroniz" in str(each.message)]


_kept: list[Any] = []  # PyTorch has pointers to them, and no references


def _of(name: str) -> Any:
    return getattr(backend_registration, name, object)


class _Module(_of("_DummyBackendModule")):  # type: ignore[misc]
    """What PyTorch asks of `torch.stand_in`."""

    @staticmethod
    def get_amp_supported_dtype() -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]


def _then_moved(make: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """PyTorch makes tensors of Python's numbers past its operators, on devices of its own only."""

    def made(*args: Any, device: Any = None, **kwargs: Any) -> torch.Tensor:
        found = make(*args, **kwargs)
        return found if device is None else found.to(device)

    return made
