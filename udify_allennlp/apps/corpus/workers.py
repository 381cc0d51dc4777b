"""Work distributed to processes, any of which may die."""

import logging
import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

logger = logging.getLogger(__name__)

Work = Callable[[Any], Any]
TRIES = 2
"""Number of attempts at a task before it is given up."""


class _Worker:
    def __init__(self, number: int, process: Any) -> None:
        self.number = number
        self.process = process
        self.task: Optional[Any] = None


def share_out(
    tasks: Iterable[Any], count: int, setup: Callable[[int], Work]
) -> Generator[tuple[Any, Any], None, None]:
    """
    Yields each task with its result, in the order in which they finish. `tasks` is read only as
    fast as they are processed. When a process dies or its work raises an error, this is logged, and
    a new process tries the task again.

    # Parameters

    tasks : `Iterable[Any]`
        Tasks that can be pickled; `str(task)` is shown in messages.
    count : `int`
        Number of processes.
    setup : `Callable[[int], Work]`
        Called once in each process, with its number from 0; returns the function for its tasks.

    # Raises

    `ConfigurationError` if `setup` fails, or a task fails twice.
    """
    # Forked from a process that has only imported us: started at once, and each can use a GPU.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["udify_allennlp.cli"])
    workers: dict[Connection, _Worker] = {}
    again: deque[Any] = deque()
    tries: Counter = Counter()
    rest = iter(tasks)

    def start(number: int) -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, number, setup), daemon=True)
        process.start()
        theirs.close()  # so that the death of the process is the end of the pipe
        workers[ours] = _Worker(number, process)

    def give_task(connection: Connection) -> None:
        worker = workers[connection]
        worker.task = again.popleft() if again else next(rest, None)
        if worker.task is None:
            connection.close()  # and the process ends
            del workers[connection]
            return
        with suppress(OSError):  # it may be dead, which `wait` tells next
            connection.send(worker.task)

    try:
        for number in range(count):
            start(number)
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                worker = workers[connection]
                try:
                    state, value = connection.recv()
                except (EOFError, OSError):
                    worker.process.join()
                    state, value = "failed", _how_it_ended(worker.process.exitcode)
                if state == "failed":
                    del workers[connection]
                    _check_tries(worker, value, tries)
                    again.append(worker.task)
                    start(worker.number)
                    continue
                if state == "done":
                    yield worker.task, value
                give_task(connection)
    finally:
        for worker in workers.values():
            worker.process.terminate()


def _check_tries(worker: _Worker, reason: str, tries: Counter) -> None:
    if worker.task is None:
        raise ConfigurationError(f"worker {worker.number} could not start: {reason}")
    name = str(worker.task)
    tries[name] += 1
    if tries[name] == TRIES:
        raise ConfigurationError(
            f"{name} failed {TRIES} times; the last time, {reason}. If memory ran out, use fewer "
            "workers or smaller shards. Finished work is kept: the same command continues from "
            "here."
        )
    logger.warning("worker %d at %s: %s. It will be retried.", worker.number, name, reason)


def _how_it_ended(code: Optional[int]) -> str:
    if code is not None and code < 0:
        return f"the process was killed by signal {-code} ({signal.Signals(-code).name})"
    return f"the process ended with exit code {code}"


def _serve(connection: Connection, number: int, setup: Callable[[int], Work]) -> None:
    # Ctrl-C reaches every process of the terminal; the parent says what happens then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        work = setup(number)
        connection.send(("ready", None))
        while True:
            connection.send(("done", work(connection.recv())))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nothing more to do, or the parent is gone
    except Exception as error:
        connection.send(("failed", f"{type(error).__name__}: {' '.join(str(error).split())}"))
