"""Connection to a Ray cluster, with one-line errors."""

import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from allennlp.common.checks import ConfigurationError


@contextmanager
def connected(address: str) -> Iterator[None]:
    """
    Connects Ray, within the context, to the cluster at `address`: `auto` for the cluster of this
    machine, `host:port`, or `local` for a new one on this machine only. Ray's own log is silenced.

    # Raises

    `ConfigurationError` if Ray is not installed or the cluster cannot be reached.
    """
    # Its usage statistics go over the network; its C++ side writes to standard error past logging.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import ray
        import ray.data
    except ImportError:
        raise ConfigurationError(
            "--ray needs Ray on every machine: pip install 'udify_allennlp[ray]'."
        ) from None
    host, _, port = address.rpartition(":")
    try:
        if port.isdigit():  # Ray itself waits for many minutes
            socket.create_connection((host, int(port)), timeout=10).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigurationError(
            f"the Ray cluster {address!r} cannot be used: {one_line(error)}. Start a cluster with "
            "'ray start --head', and 'ray start --address HOST:PORT' on the other machines."
        ) from None
    try:
        yield
    finally:
        ray.shutdown()


def count_places(cpus: float, gpus: float) -> int:
    """Returns the number of workers with this many CPUs and GPUs that fit on the cluster."""
    return sum(room(node["Resources"], cpus, gpus) for node in _nodes())


def room(resources: dict[str, float], cpus: float, gpus: float) -> int:
    """Returns the number of workers with this many CPUs and GPUs that fit on one machine."""
    places = [resources.get("CPU", 0) / cpus]
    if gpus:
        places.append(resources.get("GPU", 0) / gpus)
    return int(min(places))


def ask_nodes(question: Callable[..., str], *values: Any) -> None:
    """
    Calls `question(*values)` on each machine that has CPUs.

    # Raises

    `ConfigurationError` with the first non-empty answer and the machine's name.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(num_cpus=0, max_retries=0)(question)
    answers = {}
    for node in _nodes():
        place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        answers[_name(node)] = task.options(scheduling_strategy=place).remote(*values)
    for name, answer in answers.items():
        try:
            text = ray.get(answer)
        except ray.exceptions.RayError as error:
            text = f"cannot run our code: {one_line(error)}. Install the same packages everywhere."
        if text:
            raise ConfigurationError(f"machine {name} of the Ray cluster {text}")


def this_node() -> str:
    """Returns the name of the machine that a worker runs on."""
    import ray

    return str(ray.util.get_node_ip_address())


def one_line(error: BaseException) -> str:
    """Returns the last line of an error that may hold a stack trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def _nodes() -> list[dict[str, Any]]:
    import ray

    return [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]


def _name(node: dict[str, Any]) -> str:
    host, address = node["NodeManagerHostname"], node["NodeManagerAddress"]
    return host if host == address else f"{host} ({address})"
