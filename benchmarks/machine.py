"""The description of the machine for every benchmark, and the measurement of memory."""

import multiprocessing
import os
import platform
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

import udify_allennlp  # noqa: F401  # its import mends allennlp, for the benchmarks too

PACKAGES = ("torch", "transformers", "tokenizers", "allennlp")


def describe() -> str:
    """Returns the processor, cores, load, versions and threads, in three lines."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    versions = [f"python {platform.python_version()}", *(f"{p} {version(p)}" for p in PACKAGES)]
    threads = f"torch {torch.get_num_threads()}, OMP_NUM_THREADS "
    return "\n".join(
        [
            f"machine    {_processor()}, {os.cpu_count()} cores{load}",
            f"versions   {', '.join(versions)}",
            f"threads    {threads}{os.environ.get('OMP_NUM_THREADS', 'not set')}",
        ]
    )


def resident() -> int:
    """Returns the current memory of this process in bytes; Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def peak_resident() -> int:
    """Returns the peak memory of this process in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def afresh(function: Callable[..., Any], *arguments: Any) -> Any:
    """
    Returns the result of a function in a new process. The peak of that process includes the memory
    of this one when it starts: call it before anything large is loaded.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
