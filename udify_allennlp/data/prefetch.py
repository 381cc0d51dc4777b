"""A thread that makes the next items while the current one is used."""

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def prefetched(items: Iterable[T], ahead: int = 2) -> Iterator[T]:
    """
    Yields the items, made in a separate thread, at most `ahead` of them in advance.

    An error in the thread is raised here, in its place. The thread ends with the iterator, even if
    that is closed or discarded before its end.
    """
    waiting: queue.Queue[list[T]] = queue.Queue(ahead)
    stopped = threading.Event()
    errors: list[Exception] = []

    def put(item: list[T]) -> None:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return
            except queue.Full:
                pass

    def produce() -> None:
        try:
            for item in items:
                put([item])
                if stopped.is_set():
                    return
        except Exception as error:
            errors.append(error)
        put([])

    thread = threading.Thread(target=produce, name="udify-prefetch", daemon=True)
    thread.start()
    try:
        while item := waiting.get():
            yield item[0]
    finally:
        stopped.set()
        thread.join()
    if errors:
        raise errors[0]
