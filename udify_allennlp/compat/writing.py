"""
Safe writing of the files that AllenNLP puts into a run folder, so that a run killed at any
moment can be recovered: AllenNLP overwrites the existing file, so a kill leaves half a config.
Weights are written by `training/checkpointer.py`, archives by `unpacking.py`.
"""

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from allennlp.commands import train
from allennlp.common import Params, util
from allennlp.common.meta import Meta
from allennlp.data import Vocabulary
from allennlp.data.vocabulary import NAMESPACE_PADDING_FILE

from udify_allennlp.text.files import AnyPath, published

_Function = Callable[..., Any]


def apply() -> None:
    """Fixes each function. Safe to call twice."""
    for owner, name in ((Params, "to_file"), (Meta, "to_file")):
        _replace(owner, name, _method_written_whole)
    _replace(util, "dump_metrics", _written_whole)
    _replace(Vocabulary, "save_to_files", _sorted)
    _replace(train, "_train_worker", _archived_whole)


def _replace(owner: Any, name: str, mend: Callable[[_Function], _Function]) -> None:
    original = getattr(owner, name)
    if not hasattr(original, "__wrapped__"):
        setattr(owner, name, mend(original))


def _written_whole(write: _Function) -> _Function:
    """Makes `write(path, ...)`, where `path` may be None, write to a temporary file first."""

    @functools.wraps(write)
    def wrapper(path: Any, *args: Any, **kwargs: Any) -> None:
        # A folder, which is an error, or a pipe, which is not to be replaced.
        if path is None or (os.path.exists(path) and not os.path.isfile(path)):
            write(path, *args, **kwargs)
            return
        # Always the same name, so that a run that was killed here takes its own rest away.
        with published(path, Path(f"{os.fspath(path)}.part")) as scratch:
            write(str(scratch), *args, **kwargs)

    return wrapper


def _method_written_whole(write: _Function) -> _Function:
    @functools.wraps(write)
    def wrapper(self: Any, path: AnyPath, *args: Any, **kwargs: Any) -> None:
        _written_whole(functools.partial(write, self))(path, *args, **kwargs)

    return wrapper


def _sorted(save: _Function) -> _Function:
    """Sorts the patterns of namespaces, a set whose order changes from process to process."""

    @functools.wraps(save)
    def wrapper(self: Vocabulary, directory: str) -> None:
        save(self, directory)
        path = Path(directory, NAMESPACE_PADDING_FILE)
        lines = sorted(path.read_text(encoding="utf-8").splitlines())
        # Under a name that is no namespace, should it be left behind.
        with published(path, path.with_name(".part")) as scratch:
            scratch.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    return wrapper


def _archived_whole(work: _Function) -> _Function:
    """
    Archives an interrupted run with `include_in_archive` (the encoder's files, and the card), which
    AllenNLP omits if one process trains.
    """

    @functools.wraps(work)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if "serialization_dir" in kwargs and "include_in_archive" not in kwargs:
            config = Path(kwargs["serialization_dir"], "config.json").read_text(encoding="utf-8")
            kwargs["include_in_archive"] = json.loads(config).get("include_in_archive")
        return work(*args, **kwargs)

    return wrapper
