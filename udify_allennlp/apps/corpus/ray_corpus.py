"""
A corpus parsed on a Ray cluster. Ray Data reads files in tasks, passes their shards to actors that
each hold a model, delays reading while these are busy, and repeats work that is lost with a
machine. Only the output folder records finished work, as on one machine.
"""

import os
import pickle
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import (
    Any,
    Optional,
)

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.corpus.ray_cluster import ask_nodes, count_places, this_node
from udify_allennlp.apps.corpus.records import Record, examine
from udify_allennlp.apps.corpus.shards import Shard, Unfinished
from udify_allennlp.text.errors import InputError

Row = dict[str, Any]
TRIES = 3
"""
Number of attempts at a shard before it is given up: its machine may have failed by chance each
time.
"""


def check_shared(paths: Sequence[str], folder: Path) -> None:
    """
    Raises `ConfigurationError` if a machine of the cluster does not see one of the absolute
    `paths`, or cannot write to the existing `folder`.
    """
    # A new name: a folder of the same name on a disk of its own must not pass for this one.
    with tempfile.NamedTemporaryFile(dir=folder) as token:
        ask_nodes(find_unseen, [*paths, token.name], str(folder))


def find_unseen(paths: Sequence[str], folder: str) -> str:
    """
    Returns a fault in this machine's view of the files, as the end of a sentence; an empty string
    if there is none.
    """
    for path in paths:
        if not os.path.exists(path):
            what = path if os.path.dirname(path) != folder else folder
            return (
                f"cannot see {what}. Input, output and model must have the same names on a file "
                "system that all machines share."
            )
    return (
        "" if os.access(folder, os.W_OK) else f"cannot write to {folder}. Give it write permission."
    )


def examine_on_ray(paths: Sequence[str]) -> Iterator[Record]:
    """
    Yields the records of files with absolute `paths`, each read by some machine of the cluster.
    """
    rows = _dataset([{"path": path} for path in paths]).map(examine_row, num_cpus=1).iter_rows()
    for row in rows:
        yield pickle.loads(_checked(row)["record"])


def examine_row(row: Row) -> Row:
    try:
        return {"record": pickle.dumps(examine(row["path"])), "error": ""}
    except (ConfigurationError, InputError, OSError) as error:
        return {"record": b"", "error": _on_this_node(error)}


def parse_on_ray(
    work: Iterable[Unfinished],
    setup: Callable[[], Callable[[Shard], int]],
    workers: Optional[int],
    cpus: float,
    gpus: float,
) -> Generator[tuple[str, int], None, None]:
    """
    Yields the target of each shard with its number of sentences, when it is saved.

    # Parameters

    work : `Iterable[Unfinished]`
        Unfinished inputs, with absolute paths.
    setup : `Callable[[], Callable[[Shard], int]]`
        Called once in each actor; returns the function that parses and saves a shard.
    workers : `Optional[int]`
        Maximum number of actors; by default as many as there is room for, now and later.
    cpus, gpus : `float`
        Resources of each actor.

    # Raises

    `ConfigurationError` if no machine has room for an actor, `setup` fails, a file cannot be read
    or has changed, or a shard has failed or killed its worker `TRIES` times.
    """
    from ray.data import ActorPoolStrategy, TaskPoolStrategy

    places = count_places(cpus, gpus)
    if not places:
        raise ConfigurationError(
            f"no machine of the Ray cluster has {cpus:g} CPUs and {gpus:g} GPUs, which a worker "
            "needs. Request less with --worker-cpus and --worker-gpus."
        )
    rows = [{"unfinished": pickle.dumps(item)} for item in work]
    if not rows:
        return
    first = min(places, workers or places)
    # Readers take no CPU: actors take all there are, and would wait for readers that wait for them.
    shards = _dataset(rows).flat_map(read, num_cpus=0, compute=TaskPoolStrategy(size=first))
    parsed = shards.map(
        RayWorker,
        fn_constructor_args=(setup,),
        num_cpus=cpus,
        num_gpus=gpus or None,
        compute=ActorPoolStrategy(
            min_size=1, max_size=workers, initial_size=first, max_tasks_in_flight_per_actor=2
        ),
    )
    for row in parsed.iter_rows():
        _checked(row)
        yield row["target"], row["count"]


def read(row: Row) -> Iterator[Row]:
    """
    Yields the missing shards of an input. Errors are passed as rows, since Ray's would be many
    lines.
    """
    try:
        for shard in pickle.loads(row["unfinished"]).shards():
            yield {"shard": pickle.dumps(shard), "error": ""}
    except (ConfigurationError, InputError, OSError) as error:
        yield {"shard": b"", "error": _on_this_node(error)}


class RayWorker:
    """An actor that works on rows of `read`."""

    def __init__(self, setup: Callable[[], Callable[[Shard], int]]) -> None:
        self._error = ""
        try:
            self._work = setup()
        except Exception as error:
            self._error = f"a worker could not start {_on_this_node(error)}"

    def __call__(self, row: Row) -> Row:
        error = row["error"] or self._error
        if error:
            return {"target": "", "count": 0, "error": error}
        shard: Shard = pickle.loads(row["shard"])
        reason = "its worker died"
        for _ in range(TRIES):
            try:
                if _begin(shard.target) > TRIES:
                    break
                return {"target": shard.target, "count": self._work(shard), "error": ""}
            except Exception as failure:
                reason = _on_this_node(failure)
        text = (
            f"{shard} failed {TRIES} times; the last time, {reason}. If memory ran out, use "
            "smaller shards. Finished work is kept: the same command continues from here."
        )
        return {"target": "", "count": 0, "error": text}


def _begin(target: str) -> int:
    """
    Returns the number of times that a shard was started in this run. The count is on disk, where it
    outlasts the worker: Ray restarts workers forever, even for a shard that kills each of them.
    """
    with open(f"{target}.begun", "ab") as file:
        file.write(b".")
        return file.tell()


def _checked(row: Row) -> Row:
    if row["error"]:
        raise ConfigurationError(row["error"])
    return row


def _on_this_node(error: Exception) -> str:
    return f"on machine {this_node()}: {type(error).__name__}: {' '.join(str(error).split())}"


def _dataset(rows: list[Row]) -> Any:
    import logging

    import ray

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    dataset = ray.data.from_items(rows, override_num_blocks=len(rows))
    dataset.context.enable_progress_bars = False
    # A block is what Ray Data hands on: one shard, as soon as it is read.
    dataset.context.target_max_block_size = 1
    return dataset
