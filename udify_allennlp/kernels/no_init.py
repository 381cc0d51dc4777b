"""Building of a model whose weights are loaded next, without useless random initialization."""

from collections.abc import Callable
from typing import Any, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_RANDOM = (torch.ops.aten.normal_.default, torch.ops.aten.uniform_.default)


class NoRandomInit(TorchDispatchMode):
    """
    A context in which modules do not fill new parameters with random numbers. Parameters and
    buffers that start at fixed values still get them, since a file of weights need not hold
    buffers.

    Only for a model whose parameters are all loaded afterwards: missing ones hold arbitrary bytes.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Nothing is compiled here, and PyTorch would import its compiler to be told so: a second.
        return False

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Optional[dict[str, Any]] = None,
    ) -> Any:
        if func in _RANDOM and isinstance(args[0], torch.nn.Parameter):
            return args[0]
        return func(*args, **(kwargs or {}))
