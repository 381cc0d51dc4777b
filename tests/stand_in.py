"""
A GPU's stand-in for machines without one: a device whose tensors are computed on the CPU, and which
refuses what a GPU refuses (tensors of two devices in one operation) and counts what makes the CPU
wait for one (`waits`), as `torch.cuda.set_sync_debug_mode` does.

It is PyTorch's device for backends of others, so that all that asks `device.type == "cpu"` takes
the way of a GPU. It has none of a GPU's own kernels, nor autocast, pinned memory or streams: those
need a GPU (`make gpu-check`). It changes PyTorch for the rest of the process: `--stand-in` alone
asks for it (see `conftest.py`), and `stand_in_test.py` does so in a process of its own.
"""

import warnings
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple
from unittest.mock import patch

import torch
from torch.utils import _device, backend_registration
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

aten = torch.ops.aten
NAME = "stand_in"
_NO_PLACES = torch.zeros(0, dtype=torch.long)
waits: List[str] = []
"""What has made the CPU wait for the card since the list was emptied."""


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
    return torch.device(NAME, 0)


@contextmanager
def used() -> Iterator[None]:
    """In here tensors can be made on the device and moved to it."""
    with ExitStack() as within:
        for make in (torch.tensor, torch.as_tensor):
            within.enter_context(patch.object(torch, make.__name__, _then_moved(make)))
        within.enter_context(torch.autograd.set_multithreading_enabled(False))
        within.enter_context(_Operators())
        yield


@contextmanager
def watched(device: torch.device) -> Iterator[List[str]]:
    """What makes the CPU wait for the device in here: a GPU, or its stand-in."""
    found: List[str] = []
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


_kept: List[Any] = []  # PyTorch has pointers to them, and no references


def _of(name: str) -> Any:
    return getattr(backend_registration, name, object)


class _Module(_of("_DummyBackendModule")):  # type: ignore[misc]
    """What PyTorch asks of `torch.stand_in`."""

    @staticmethod
    def get_amp_supported_dtype() -> List[torch.dtype]:
        return [torch.bfloat16, torch.float16]


class OnCard(torch.Tensor):
    """A tensor of the device; `held` is the one with its numbers."""

    held: torch.Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> "OnCard":
        made = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device(NAME, 0),
        )
        made.held = held
        return made  # type: ignore[no-any-return]

    def tolist(self) -> Any:
        return self.cpu().tolist()

    def __getitem__(self, index: Any) -> Any:
        every = index if isinstance(index, tuple) else (index,)
        every = tuple(torch.as_tensor(x or _NO_PLACES) if isinstance(x, list) else x for x in every)
        return super().__getitem__(every)

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"OnCard({self.held!r})"

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


class _Operators(TorchDispatchMode):
    """Sees what makes tensors from nothing, too."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


def _then_moved(make: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """PyTorch makes tensors of Python's numbers past its operators, on devices of its own only."""

    def made(*args: Any, device: Any = None, **kwargs: Any) -> torch.Tensor:
        found = make(*args, **kwargs)
        return found if device is None else found.to(device)

    return made


_PACK = aten._pack_padded_sequence.default
_COPIES = (aten.copy_.default, aten._to_copy.default)
_INDEXED = (
    aten.index.Tensor,
    aten.index_put.default,
    aten.index_put_.default,
    aten._index_put_impl_.default,
)
_ASKS = (
    aten._local_scalar_dense.default,
    aten.nonzero.default,
    aten.masked_select.default,
    aten.bincount.default,
    aten._unique2.default,
    aten.unique_consecutive.default,
    aten.repeat_interleave.Tensor,
)


def _run(func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    flat, spec = tree_flatten((args, kwargs))
    tensors = [x for x in flat if isinstance(x, torch.Tensor)]
    on_card = any(isinstance(x, OnCard) for x in tensors)
    asked: Optional[torch.device] = kwargs.get("device")
    to_card = on_card if asked is None else torch.device(asked).type == NAME
    if func is aten.copy_.default:
        to_card = isinstance(args[0], OnCard)
    if not on_card and not to_card:
        return func(*args, **kwargs)
    if func is aten._fused_sdp_choice.default:
        return 0  # the way of all devices
    if func not in (*_COPIES, _PACK, aten._pack_padded_sequence_backward.default):
        _check_devices(func, args, tensors)
    _count(func, args, kwargs, to_card)
    held = [x.held if isinstance(x, OnCard) else x for x in flat]
    held_args, held_kwargs = tree_unflatten(held, spec)
    if asked is not None:
        held_kwargs["device"] = torch.device("cpu")
    found = _KERNELS.get(func, func)(*held_args, **held_kwargs)
    if func is _PACK:
        return OnCard(found[0]), found[1]  # lengths stay on the CPU
    if to_card:
        found = tree_map(lambda x: OnCard(x) if isinstance(x, torch.Tensor) else x, found)
    return return_and_correct_aliasing(func, args, kwargs, found)


def _check_devices(func: Any, args: Tuple[Any, ...], tensors: List[torch.Tensor]) -> None:
    """Numbers, tensors without dimensions, may come from the CPU; so may indices."""
    strangers = [x for x in tensors if not isinstance(x, OnCard) and x.dim()]
    if func in _INDEXED and isinstance(args[0], OnCard):
        indices = args[1]
        strangers = [x for x in strangers if not any(x is index for index in indices)]
    if strangers and len(strangers) < len(tensors):
        raise RuntimeError(f"{func}: tensors on {NAME} and on {strangers[0].device}")


def _count(func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], to_card: bool) -> None:
    """Notes a wait, if this is one."""
    masks = ()
    if func in _INDEXED:
        indices = [x for x in args[1] if x is not None]
        # One number, wherever a mask is True, is written without asking where that is.
        fills = len(args) > 2 and args[2].dim() == 0 and len(indices) == 1
        masks = tuple(x for x in indices if x.dtype == torch.bool and not fills)
        masks += tuple(x for x in indices if not isinstance(x, OnCard))
    source = args[1] if func is aten.copy_.default else args[0]
    crosses = func in _COPIES and to_card != isinstance(source, OnCard)
    if func in _ASKS or masks or (crosses and not kwargs.get("non_blocking")):
        waits.append(str(func))


def _lstm_cell(
    of_input: torch.Tensor, of_state: torch.Tensor, cell: torch.Tensor, *bias: torch.Tensor
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    found = of_input + of_state
    for each in bias:
        found = found + each
    i, f, g, o = found.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new = f * cell + i * g
    return o * new.tanh(), new, torch.cat([i, f, g, o], 1)


def _lstm_cell_backward(
    of_output: Optional[torch.Tensor],
    of_cell: Optional[torch.Tensor],
    cell: torch.Tensor,
    new: torch.Tensor,
    gates: torch.Tensor,
    has_bias: bool,
) -> Tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor]]:
    i, f, g, o = gates.chunk(4, 1)
    of_output = torch.zeros_like(new) if of_output is None else of_output
    pulled = of_output * o * (1 - new.tanh() ** 2)
    pulled = pulled if of_cell is None else pulled + of_cell
    found = torch.cat(
        [
            pulled * g * i * (1 - i),
            pulled * cell * f * (1 - f),
            pulled * i * (1 - g**2),
            of_output * new.tanh() * o * (1 - o),
        ],
        1,
    )
    return found, pulled * f, found.sum(0) if has_bias else None


# Those of a GPU that a CPU lacks.
_KERNELS: Dict[Any, Callable[..., Any]] = {
    aten._thnn_fused_lstm_cell.default: _lstm_cell,
    aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,
}
