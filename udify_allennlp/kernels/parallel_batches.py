"""
Parallel work on a CPU, each piece on its own threads. If all threads share each product, they wait
for each other about a thousand times per batch, and Python runs on only one of them.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from itertools import chain, islice
from threading import Barrier
from typing import TypeVar

import torch
from packaging.version import Version

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(
    function: Callable[[Item], Result], items: Iterable[Item], at_once: int
) -> Iterator[Result]:
    """
    Yields `function` of each item, in order, up to `at_once` at a time, among which PyTorch's
    threads are divided. A single item has all of them, in this thread. Items are taken on demand,
    up to twice `at_once` ahead.

    `function` must not change shared data. Thread settings are not inherited: it must set
    `torch.no_grad` and autocast itself.
    """
    items = iter(items)
    first = list(islice(items, at_once))
    if len(first) < 2:
        yield from map(function, chain(first, items))
        return
    threads = torch.get_num_threads()
    waiting: deque[Future[Result]] = deque()
    ready = Barrier(len(first) + 1)
    # Not kept for the next call: a process that is forked from this one would have no threads.
    pool = ThreadPoolExecutor(len(first), "udify", _start, (max(1, threads // len(first)), ready))
    try:
        try:
            waiting.extend(pool.submit(function, item) for item in first)
            ready.wait()
        except BaseException:  # such as no room for another thread
            ready.abort()
            raise
        torch.set_num_threads(threads)  # theirs is also that of threads which others begin
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) == 2 * len(first):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _start(threads: int, ready: Barrier) -> None:
    torch.set_num_threads(threads)
    torch.get_num_threads()  # else the first product asks for those of the process
    ready.wait()


@cache
def models_can() -> bool:
    """
    Returns whether encoders of transformers support this: from 5.2 on. Some versions between 4.56
    and 5.1 replace their layers' `forward` while they run.
    """
    return Version(version("transformers")) >= Version("5.2")
