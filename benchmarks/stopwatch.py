"""A stopwatch for the parts of a program, each without the parts that it calls."""

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

Part = tuple[str, Any, str]
"""A name in the table, and the owner and name of the function whose time is added to it."""


class Stopwatch:
    """Exclusive CPU seconds of this thread, by part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[str] = []
        self._since = 0.0

    def _switch(self) -> None:
        now = time.thread_time()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._switch()
        self._open.append(name)
        try:
            yield
        finally:
            self._switch()
            self._open.pop()

    def timed(self, name: str, function: Callable) -> Callable:
        """Returns `function` with its calls timed; a generator is timed while it runs."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.part(name):
                result = function(*args, **kwargs)
            return self._steps(name, result) if hasattr(result, "__next__") else result

        return call

    def _steps(self, name: str, iterator: Iterator[Any]) -> Iterator[Any]:
        while True:
            with self.part(name):
                try:
                    value = next(iterator)
                except StopIteration:
                    return
            yield value

    @contextmanager
    def on(self, parts: list[Part], rest: str) -> Iterator[None]:
        """Times the functions of `parts`; all other time is added to `rest`."""
        with ExitStack() as patches:
            for name, owner, attribute in parts:
                timed = self.timed(name, getattr(owner, attribute))
                patches.enter_context(mock.patch.object(owner, attribute, timed))
            with self.part(rest):
                yield
