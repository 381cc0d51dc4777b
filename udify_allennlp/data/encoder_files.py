"""The location of an encoder's files, and the copy of them that a run keeps."""

import functools
import logging
import os
import tempfile
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.context_values import holding
from udify_allennlp.text.extension_points import ExtensionPoint

logger = logging.getLogger(__name__)

FOLDER = "encoder"
"""
A folder in the run folder (and in its archive) with the encoder's files apart from its weights: the
tokenizer and the encoder's config, or word vectors.
"""
ENCODER_FINDERS: ExtensionPoint[Callable[[str], Optional[str]]] = ExtensionPoint(
    "folders of encoders by model_name"
)
"""Functions that map a `model_name` to its folder, or to None."""
_PATIENCE = 5  # seconds
_admitted: ContextVar[Optional[Collection[str]]] = ContextVar("admitted", default=None)


def only_copies(admitted: Collection[str] = ()) -> AbstractContextManager[None]:
    """
    Restricts, within the context and in this thread, encoders, word vectors and parsers to a
    model's own copies: an archive may come from a stranger, and its config names files of this
    machine. Names that are `admitted`, since the user gave them, are looked up as usual.
    """
    return holding(_admitted, {*admitted, *(_admitted.get() or ())})


def may_leave(name: str) -> bool:
    """Returns whether a model may refer to this file, folder or address outside itself."""
    admitted = _admitted.get()
    return admitted is None or name in admitted


def check_may_leave(name: str, needed: str) -> None:
    """
    # Raises

    `ConfigurationError` within `only_copies`: the model lacks its own copy of a `needed` file that
    it names elsewhere.
    """
    if not may_leave(name):
        raise ConfigurationError(
            f"it has no {needed}, and must not refer to {name!r:.80} outside itself. Copy or "
            "train the model again; if you trust its author, specify the setting yourself, with "
            "-o."
        )


def locate(model_name: str) -> str:
    """
    Returns a folder or a hub name, for a `model_name` that may also be one of our trained models.
    Raises the errors of `check_may_leave`.
    """
    check_may_leave(model_name, "weights for a part that its config loads from elsewhere")
    folders = (find(model_name) for find in ENCODER_FINDERS)
    return next((folder for folder in folders if folder is not None), model_name)


def source(model_name: str, serialization_dir: Optional[str], needed: str) -> str:
    """
    Returns the run's own copy if it holds the file `needed`, else the result of `locate` for
    `model_name`.

    An archive carries its copy, so a model loads on a machine that has neither hub nor folder.
    Raises the errors of `check_may_leave`.
    """
    if serialization_dir is not None:
        copy = Path(serialization_dir) / FOLDER
        if (copy / needed).is_file():
            return str(copy)
    check_may_leave(model_name, f"{FOLDER}/{needed}")
    model_name = locate(model_name)
    if not os.path.isdir(model_name):
        _ask_the_hub()
    return model_name


@functools.cache
def _ask_the_hub() -> None:
    """
    Takes this process offline if the hub does not answer: names are then looked up among files that
    were fetched before. huggingface_hub would try each for half a minute.
    """
    from huggingface_hub import constants, get_session

    if constants.HF_HUB_OFFLINE:
        return
    try:
        get_session().head(constants.ENDPOINT, timeout=_PATIENCE)
    except Exception as error:  # of httpx, or of requests in huggingface_hub below 1.0
        logger.warning("%s does not answer (%s).", constants.ENDPOINT, error)
        constants.HF_HUB_OFFLINE = True


def keep(save: Callable[[str], Any], serialization_dir: Optional[str], needed: str) -> None:
    """
    Calls `save` to fill the run folder with files, unless the `needed` one exists. Several
    processes of one run may do this at once: each file appears complete, by a rename.


    """
    if serialization_dir is None or not Path(serialization_dir).is_dir():
        return
    folder = Path(serialization_dir) / FOLDER
    if (folder / needed).is_file():
        return
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=serialization_dir) as scratch:
        save(scratch)
        # The file that tells a complete copy comes last.
        for file in sorted(Path(scratch).iterdir(), key=lambda path: path.name == needed):
            os.replace(file, folder / file.name)


def folder(serialization_dir: Optional[str], name: str) -> Optional[Path]:
    """Returns the folder `name` that `keep_folder` has made in the run folder, if it exists."""
    if serialization_dir is None or not (Path(serialization_dir) / FOLDER / name).is_dir():
        return None
    return Path(serialization_dir) / FOLDER / name


def keep_folder(save: Callable[[str], None], serialization_dir: Optional[str], name: str) -> None:
    """Calls `save` to fill the folder `name` of the run folder, unless it exists."""
    if serialization_dir is None or not Path(serialization_dir).is_dir():
        return
    target = Path(serialization_dir) / FOLDER / name
    if target.is_dir():
        return
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=serialization_dir) as scratch:
        made = Path(scratch, name)
        made.mkdir()
        save(str(made))
        try:
            os.replace(made, target)
        except OSError:  # another process of the run was faster
            if not target.is_dir():
                raise
