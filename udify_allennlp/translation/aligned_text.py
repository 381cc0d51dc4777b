"""
Aligned text: files with the same folder and name, one for each language, whose lines are
translations of each other: `tatoeba/eng-deu/train.eng.xz` and `train.deu.xz`.
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
    """Files whose lines are translations of each other."""

    name: str
    """The folder and the common beginning of the files' names: `eng-deu/train`."""
    paths: dict[str, str]
    """The files by language."""


def language_of(path: AnyPath) -> str:
    """
    Returns the code at the end of a file's name, in ISO 639-1 if that has one: `de` for
    `train.deu.xz` and for `train.deu_Latn`.
    """
    ending = _without_compression(path).rpartition(".")[2]
    short = ending.partition("_")[0].lower()
    return SHORT_CODES.get(short, short)


def aligned_files(paths: Union[str, Sequence[str]]) -> list[AlignedFiles]:
    """
    Groups files by folder and name.

    # Parameters

    paths : `Union[str, Sequence[str]]`
        Names or globs, comma-separated, or a list of these.

    # Raises

    `InputError` if a file does not exist, a name has no language, two files of a group have the
    same one, or a file has no partner.
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
                f"{other} and {path} are both in {language_of(path)} ({ending}). Omit one."
            )
    for group in groups.values():
        if len(group) == 1:
            (path,) = group.values()
            raise InputError(
                f"{path}: no other file is aligned with it. Name files of two or more languages, "
                "such as with a glob: 'train.*'."
            )
    return [AlignedFiles(_name(stem), group) for stem, group in groups.items()]


def read_aligned(files: AlignedFiles, languages: Optional[set[str]] = None) -> dict[str, list[str]]:
    """
    Returns the lines of aligned files by language, without white space around them; only of
    `languages`, if given.

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
                f"{len(lines):,}, so they are not aligned. Name files of equal length."
            )
    return texts


def read_lines(path: str) -> list[str]:
    """
    Returns the lines of a text file, plain, .gz or .xz. Only line feeds end a line: other
    separators of Unicode occur in text.
    """
    try:
        with open_compressed(path) as file:
            content = file.read()
    except DAMAGED as error:
        raise InputError(
            f"{path}: the compressed file is damaged ({error}). Download or compress it again."
        ) from error
    lines = decoded(content, path, 1).removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.strip() for line in lines]


def directions_of(files: AlignedFiles, patterns: Optional[Sequence[str]] = None) -> list[Direction]:
    """
    Returns the directions of translation of files: all, or those that match one of `patterns`, such
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
