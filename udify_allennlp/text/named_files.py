"""Files as command lines name them: names, folders and globs, also with commas between them."""

import os
from collections.abc import Sequence
from pathlib import Path

from udify_allennlp.text.conllu import expand_paths
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import compression

CONLLU = (".conllu",)


def split_names(words: Sequence[str]) -> list[str]:
    """The words of a command line, and the parts of those that have commas and name no file."""
    return [
        name
        for word in words
        for name in ([word] if os.path.exists(word) else filter(None, word.split(",")))
    ]


def files_of(words: Sequence[str], endings: Sequence[str] = CONLLU) -> list[str]:
    """
    The files that words of a command line name, each once.

    # Parameters

    words : `Sequence[str]`
        Names, globs, folders, several with commas between them.
    endings : `Sequence[str]`
        The files that are taken from a folder: those whose names, without `.gz` or `.xz`, end so.

    # Raises

    `InputError` if a folder holds no such file, `FileNotFoundError` if a name is that of no file.
    """
    names: list[str] = []
    for name in split_names(words):
        names += _inside(Path(name), tuple(endings)) if os.path.isdir(name) else [name]
    return expand_paths(names)


def _inside(folder: Path, endings: tuple[str, ...]) -> list[str]:
    paths = (str(path) for path in sorted(folder.iterdir()) if path.is_file())
    files = [path for path in paths if path.removesuffix(compression(path)).endswith(endings)]
    if not files:
        raise InputError(
            f"{folder} is a folder without files in {' or '.join(endings)}. Name files, or a "
            "folder that holds some."
        )
    return files
