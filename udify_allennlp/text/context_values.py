"""Values that hold within a block of code, only in its thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def holding(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Sets `variable` to `value` within the block, and restores the previous value afterwards."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
