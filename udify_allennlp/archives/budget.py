"""
A limit on the memory of a new model: its config may request only as much as its weights can fill.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from torch.utils._python_dispatch import TorchDispatchMode

from udify_allennlp.text.context_values import holding
from udify_allennlp.text.files import AnyPath

# A weight of 4 bits is one of 32 in memory, and some are made twice.
_MOST_TIMES = 24
_SMALL = 32 << 20  # bytes that any model may allocate: tables that are not saved, and the like
_BYTES = 4  # of a number
_LEAST = 4096  # bytes that even an empty tensor counts for: a list of modules takes time
_MAKERS = ("empty", "empty_strided", "zeros", "ones", "full", "rand", "randn", "randint")
_NEW = ("new_empty", "new_empty_strided", "new_zeros", "new_ones", "new_full", "expand_copy")


class _Budget:
    """Bytes that may still be allocated for the weights of one file."""

    def __init__(self, weights: AnyPath) -> None:
        self._left = _SMALL + _MOST_TIMES * Path(weights).stat().st_size

    def take(self, numbers: float) -> None:
        self._left -= max(_LEAST, int(numbers * _BYTES))
        if self._left < 0:
            raise ConfigurationError(
                "rejected: its config requests many more numbers than its weights have. Copy or "
                "train the model again."
            )


_current: ContextVar[Optional[_Budget]] = ContextVar("budget", default=None)


class _Counting(TorchDispatchMode):
    """A mode that counts new tensors before they are allocated."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as of `NoRandomInit`

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Optional[dict[str, Any]] = None,
    ) -> Any:
        budget = _current.get()
        name = func.overloadpacket.__name__
        if budget is not None and args:
            if name in _MAKERS or name in _NEW:
                sizes = args[1:] if name in _NEW else args
                # `randint` has its bounds first.
                size = next(
                    (argument for argument in sizes if isinstance(argument, (list, tuple))), ()
                )
                budget.take(math.prod(size))
            elif name in ("arange", "linspace"):
                numbers = [abs(argument) for argument in args if isinstance(argument, (int, float))]
                budget.take(sum(numbers))
            elif name == "eye":
                budget.take(math.prod((*args, args[0])[:2]))
        return func(*args, **(kwargs or {}))


@contextmanager
def bounded_by(weights: AnyPath) -> Iterator[None]:
    """
    Rejects, within the context and in this thread, new tensors that together exceed a multiple of
    the size of the file `weights`. A model that is loaded within another one has a separate budget.

    # Raises

    `ConfigurationError` before the first tensor beyond the limit is allocated.
    """
    is_outermost = _current.get() is None
    with holding(_current, _Budget(weights)), _Counting() if is_outermost else nullcontext():
        yield
