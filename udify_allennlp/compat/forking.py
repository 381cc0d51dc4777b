"""
A fix for processes that are forked after the import of PyTorch, such as those of `multiprocessing`
on Linux up to Python 3.13 and of `gunicorn --preload`.

Threads are not forked: the child has the parent's record of its OpenMP threads and none of the
threads themselves, so its first product waits for them forever (PyTorch 2.13, GNU OpenMP).
"""

import os

import torch

_applied = False


def apply() -> None:
    """Gives each forked process one thread of PyTorch. Safe to call twice."""
    global _applied
    if not _applied and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_one_thread)
        _applied = True


def _one_thread() -> None:
    torch.set_num_threads(1)
