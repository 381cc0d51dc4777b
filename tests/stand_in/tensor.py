"""Tensors of the stand-in: computed on the CPU, refused and counted as on a GPU."""

from collections.abc import Iterator
from typing import Any, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from tests.stand_in import lstm

aten = torch.ops.aten
NAME = "stand_in"
_NO_PLACES = torch.zeros(0, dtype=torch.long)
waits: list[str] = []
"""What has made the CPU wait for the card since the list was emptied."""


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

    @property
    def data(self) -> torch.Tensor:  # type: ignore[override]
        return self.detach()

    @data.setter
    def data(self, other: "OnCard") -> None:
        torch._C.TensorBase.data.__set__(self, other)
        self.held = other.held

    def tolist(self) -> Any:
        return self.cpu().tolist()

    def __getitem__(self, index: Any) -> Any:
        every = index if isinstance(index, tuple) else (index,)
        every = tuple(torch.as_tensor(x or _NO_PLACES) if isinstance(x, list) else x for x in every)
        return super().__getitem__(every)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.held.__reduce_ex__(protocol)  # files are read where there is no such device

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"OnCard({self.held!r})"

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


class Operators(TorchDispatchMode):
    """Sees what makes tensors from nothing, too."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


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


def _run(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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
    found = lstm.KERNELS.get(func, func)(*held_args, **held_kwargs)
    if func is _PACK:
        return OnCard(found[0]), found[1]  # lengths stay on the CPU
    if to_card:
        found = tree_map(lambda x: OnCard(x) if isinstance(x, torch.Tensor) else x, found)
    return return_and_correct_aliasing(func, args, kwargs, found)


def _check_devices(func: Any, args: tuple[Any, ...], tensors: list[torch.Tensor]) -> None:
    """Numbers, tensors without dimensions, may come from the CPU; so may indices."""
    strangers = [x for x in tensors if not isinstance(x, OnCard) and x.dim()]
    if func in _INDEXED and isinstance(args[0], OnCard):
        indices = args[1]
        strangers = [x for x in strangers if not any(x is index for index in indices)]
    if strangers and len(strangers) < len(tensors):
        raise RuntimeError(f"{func}: tensors on {NAME} and on {strangers[0].device}")


def _count(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], to_card: bool) -> None:
    """Notes a wait, if this is one."""
    source = args[1] if func is aten.copy_.default else args[0]
    crosses = func in _COPIES and to_card != isinstance(source, OnCard)
    looks = func in _INDEXED and any(_asks_where(args))
    if func in _ASKS or looks or (crosses and not kwargs.get("non_blocking")):
        waits.append(str(func))


def _asks_where(args: tuple[Any, ...]) -> Iterator[bool]:
    """Yields for each index whether the CPU waits: to read it, or to copy a number to the card."""
    indices = [x for x in args[1] if x is not None]
    # One number, wherever a mask is True, is written without asking where that is; if it is
    # written by an index, it is copied to the card first.
    number = len(args) > 2 and args[2].dim() == 0
    fills = number and len(indices) == 1
    for index in indices:
        by_mask = isinstance(index, OnCard) and index.dtype == torch.bool
        yield not isinstance(index, OnCard) or (not fills if by_mask else number)
