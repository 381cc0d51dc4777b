"""Checks of outputs before any work: each can be written, and replaces none of the inputs."""

import errno
import os
from collections.abc import Iterable

from udify_allennlp.text.errors import InputError, no_folder
from udify_allennlp.text.files import AnyPath
from udify_allennlp.text.input_kinds import CONLLU, kind_of_file


def check_writable(path: AnyPath) -> None:
    """
    # Raises

    `FileNotFoundError` if `path` is in a folder that does not exist, `IsADirectoryError` if it is
    a folder itself.
    """
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.exists(folder):
        raise FileNotFoundError(no_folder(path, os.path.dirname(path) or folder))
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))


def check_folder(path: AnyPath) -> None:
    """
    # Raises

    `InputError` if a folder cannot be made at `path`, since it, or one that it is in, is a file.
    """
    ancestor = os.path.abspath(path)
    while not os.path.lexists(ancestor):
        ancestor = os.path.dirname(ancestor)
    if not os.path.isdir(ancestor):
        raise InputError(f"{ancestor} is a file, and the output is a folder. Name another folder.")


def check_replaces_none(path: AnyPath, inputs: Iterable[AnyPath]) -> None:
    """
    # Raises

    `InputError` if the file at `path` is one of the inputs.
    """
    if not os.path.isfile(path):  # new, or a pipe or terminal, which may be both
        return
    target = os.path.realpath(path)
    if any(os.path.realpath(each) == target for each in inputs):
        raise InputError(
            f"{os.fsdecode(path)} is an input, and its output would replace it. Name another "
            "output."
        )


def check_keeps_texts(path: str, inputs: Iterable[str]) -> None:
    """
    Does the same for the parse of files: CoNLL-U can be parsed into itself, and keeps all that a
    parser does not predict.
    """
    check_replaces_none(path, [each for each in inputs if kind_of_file(each) != CONLLU])
