"""Folders and files of results."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.files import size_and_time, write_whole


def new_folder(path: str, option: str) -> Path:
    """
    Returns the folder at `path`, made if it does not exist. `option` names it in messages.

    # Raises

    `ConfigurationError` if it is not empty.
    """
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigurationError(
            f"{option} {path} exists and is not an empty folder. Name a new one, or empty it."
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def names_of(paths: Sequence[str]) -> list[str]:
    """
    Returns short names of models for tables and figures: the end of each path, as much of it as
    distinguishes them. An archive `model.tar.gz` is named after the run whose folder it is in.

    # Raises

    `ConfigurationError` if two of them are the same.
    """
    parts = [_without_archive(Path(path)).parts or (path,) for path in paths]  # `.` has no parts
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    twice = next(path for path, part in zip(paths, parts) if parts.count(part) > 1)
    raise ConfigurationError(f"{twice!r} appears twice. Name each model once.")


def _without_archive(path: Path) -> Path:
    return path.parent if path.name == "model.tar.gz" and path.parent.name else path


def numbers(text: str, option: str) -> list[int]:
    """
    Returns the numbers of a text such as `1,3,7-9`.

    # Raises

    `ConfigurationError` for anything else.
    """
    values: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        first, last = match.group(1, 2) if match else ("", None)
        if not match or int(last or first) < int(first):
            raise ConfigurationError(
                f"{option} is {text!r}. Use numbers and ranges such as 1,3,7-9."
            )
        values.extend(range(int(first), int(last or first) + 1))
    return list(dict.fromkeys(values))


def total_size_and_time(path: str) -> Optional[list[int]]:
    """
    Returns the `size_and_time` of a file, or for a folder the total size and the latest time of its
    files. `None` if no such path exists, as for a hub name.
    """
    files = [Path(path)] if os.path.isfile(path) else [*Path(path).glob("*")]
    states = [size_and_time(file) for file in files if file.is_file()]
    return [sum(size for size, _ in states), max(time for _, time in states)] if states else None


def write_json(path: Path, value: Any) -> None:
    """Writes JSON to a file that appears only when it is complete."""
    write_whole(path, [json.dumps(value, indent=1, ensure_ascii=False).encode(), b"\n"])


def write_table(path: Path, rows: Iterable[Sequence[Any]]) -> str:
    """
    Writes rows as tab-separated values, and returns them too; `None` is an empty cell. The file
    appears only when it is complete.
    """
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    write_whole(path, [text.encode()])
    return text


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)
