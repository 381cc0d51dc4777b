"""
Aligned text: files of one folder and name, one for each language, whose lines translate each other:
`tatoeba/eng-deu/train.eng.xz` and `train.deu.xz`.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import permutations
from typing import Optional, Union

from udify_allennlp.text.conllu import expand_paths
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import DAMAGED, AnyPath, compression, open_compressed
from udify_allennlp.text.languages import SHORT_CODES
from udify_allennlp.text.line_reader import decoded
from udify_allennlp.text.named_files import split_names

Direction = tuple[str, str]
"""The codes of source and target."""


@dataclass(frozen=True)
class AlignedFiles:
    """Files whose lines translate each other."""

    name: str
    """The folder and what the names of the files begin with: `eng-deu/train`."""
    paths: dict[str, str]
    """By language."""


def language_of(path: AnyPath) -> str:
    """
    The code at the end of a file's name, in ISO 639-1 where that has one: `de` of `train.deu.xz`
    and of `train.deu_Latn`.
    """
    ending = _without_compression(path).rpartition(".")[2]
    short = ending.partition("_")[0].lower()
    return SHORT_CODES.get(short, short)


def aligned_files(paths: Union[str, Sequence[str]]) -> list[AlignedFiles]:
    """
    Groups files by folder and name.

    # Parameters

    paths : `Union[str, Sequence[str]]`
        Names or globs, separated by commas, or a list of these.

    # Raises

    `InputError` if there is no such file, a name has no language, two files of a group have the
    same one, or a file is alone.
    """
    try:
        found = expand_paths(split_names([paths] if isinstance(paths, str) else paths))
    except FileNotFoundError as error:
        why = str(error).partition(". ")[0]
        raise InputError(
            f"{why}. Name aligned files, or a glob such as 'text/*/train.*'."
        ) from None
    groups: dict[str, dict[str, str]] = {}
    for path in found:
        stem, _, ending = _without_compression(path).rpartition(".")
        if not os.path.basename(stem):
            raise InputError(
                f"{path}: its name does not end in a language. Name aligned files such as train.en "
                "and train.de."
            )
        group = groups.setdefault(stem, {})
        other = group.setdefault(language_of(path), path)
        if other != path:
            raise InputError(
                f"{other} and {path} are both in {language_of(path)} ({ending}). Leave one out."
            )
    for group in groups.values():
        if len(group) == 1:
            (path,) = group.values()
            raise InputError(
                f"{path}: no other file is aligned with it. Name those of two languages or more, "
                "as with a glob: 'train.*'."
            )
    return [AlignedFiles(_name(stem), group) for stem, group in groups.items()]


def read_aligned(files: AlignedFiles, languages: Optional[set[str]] = None) -> dict[str, list[str]]:
    """
    The lines of aligned files by language, white space around them removed; of `languages` alone if
    they are given.

    # Raises

    `InputError` if two files have different numbers of lines. `ConlluError` with file and line if
    one is not UTF-8, or damaged.
    """
    texts = {
        lang: read_lines(path)
        for lang, path in files.paths.items()
        if languages is None or lang in languages
    }
    for lang, lines in texts.items():
        first = next(iter(texts))
        if len(lines) != len(texts[first]):
            raise InputError(
                f"{files.paths[first]} has {len(texts[first]):,} lines and {files.paths[lang]} "
                f"{len(lines):,}, so they are not aligned. Give files of equal length."
            )
    return texts


def read_lines(path: str) -> list[str]:
    """
    The lines of a text file, plain, .gz or .xz. Only line feeds end a line: other separators of
    Unicode occur in text.
    """
    try:
        with open_compressed(path) as file:
            content = file.read()
    except DAMAGED as error:
        raise InputError(
            f"{path}: the compressed file is damaged ({error}). Fetch or compress it again."
        ) from error
    lines = decoded(content, path, 1).removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.strip() for line in lines]


def directions_of(files: AlignedFiles, patterns: Optional[Sequence[str]] = None) -> list[Direction]:
    """
    The directions of translation that files have: all, or those that match one of `patterns`, such
    as `en-de` and `*-en`.
    """
    found = permutations(sorted(files.paths), 2)
    return [
        direction
        for direction in found
        if patterns is None or any(fnmatchcase("-".join(direction), each) for each in patterns)
    ]


def _without_compression(path: AnyPath) -> str:
    return os.fspath(path).removesuffix(compression(path))


def _name(stem: str) -> str:
    folder, name = os.path.split(stem)
    return "/".join(filter(None, (os.path.basename(folder), name)))
