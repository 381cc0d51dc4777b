"""Building a model whose weights are loaded next: random numbers would only be thrown away."""

from collections.abc import Callable
from typing import Any, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_RANDOM = (torch.ops.aten.normal_.default, torch.ops.aten.uniform_.default)


class NoRandomInit(TorchDispatchMode):
    """
    A context in which modules leave the memory of new parameters as it is instead of filling it
    with random numbers. Parameters that start at fixed values still get them, and so do all
    buffers, since a file of weights need not hold those.

    Only for a model whose every parameter is loaded afterwards: what is missing holds any bytes.
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
