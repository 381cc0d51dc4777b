"""Files on command lines: names, folders and globs, also comma-separated."""

import glob
import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from udify_allennlp.text.conllu import expand_paths
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import compression

CONLLU = (".conllu",)


def split_names(words: Sequence[str]) -> list[str]:
    """Returns the words of a command line, with those that have commas and name no file split."""
    return [
        name
        for word in words
        for name in ([word] if os.path.exists(word) else filter(None, word.split(",")))
    ]


def files_of(words: Sequence[str], endings: Sequence[str] = CONLLU) -> list[str]:
    """
    Returns the files that words of a command line name, each once.

    # Parameters

    words : `Sequence[str]`
        Names, globs, folders, also comma-separated.
    endings : `Sequence[str]`
        Endings of the files to take from a folder, without `.gz` or `.xz`.

    # Raises

    `InputError` if a folder holds no such file, `FileNotFoundError` if a name matches no file.
    """
    names: list[str] = []
    for name in split_names(words):
        names += _inside(Path(name), tuple(endings)) if os.path.isdir(name) else [name]
    return expand_paths(names)


def files_among(words: Iterable[str]) -> list[str]:
    """Returns the files that any words of a command line name, perhaps as `NAME=FILE`; no error."""
    names = split_names([part for word in words for part in (word, word.partition("=")[2])])
    paths = itertools.chain.from_iterable(glob.glob(name) or [name] for name in names)
    return [path for path in paths if os.path.isfile(path)]


def _inside(folder: Path, endings: tuple[str, ...]) -> list[str]:
    paths = (str(path) for path in sorted(folder.iterdir()) if path.is_file())
    files = [path for path in paths if path.removesuffix(compression(path)).endswith(endings)]
    if not files:
        raise InputError(
            f"{folder} is a folder without files in {' or '.join(endings)}. Name files, or a "
            "folder with such files."
        )
    return files
