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
    The folder at `path`, made if it does not exist. `option` names it in messages.

    # Raises

    `ConfigurationError` if there is something in it already.
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
    Short names for models in tables and figures: the end of each path, as much of it as it takes
    to tell them apart. An archive `model.tar.gz` is called after the run whose folder it is in.

    # Raises

    `ConfigurationError` if two of them are the same.
    """
    parts = [_without_archive(Path(path)).parts or (path,) for path in paths]  # `.` has no parts
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    twice = next(path for path, part in zip(paths, parts) if parts.count(part) > 1)
    raise ConfigurationError(f"{twice!r} is given twice. Name each model once.")


def _without_archive(path: Path) -> Path:
    return path.parent if path.name == "model.tar.gz" and path.parent.name else path


def numbers(text: str, option: str) -> list[int]:
    """
    `1,3,7-9` as a list.

    # Raises

    `ConfigurationError` for anything else.
    """
    values: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        first, last = match.group(1, 2) if match else ("", None)
        if not match or int(last or first) < int(first):
            raise ConfigurationError(
                f"{option} is {text!r}. Give numbers and ranges such as 1,3,7-9."
            )
        values.extend(range(int(first), int(last or first) + 1))
    return list(dict.fromkeys(values))


def total_size_and_time(path: str) -> Optional[list[int]]:
    """
    The `size_and_time` of a file, or of a folder's files their total size and the latest time.
    `None` if there is nothing of that name, as for a hub name.
    """
    files = [Path(path)] if os.path.isfile(path) else [*Path(path).glob("*")]
    states = [size_and_time(file) for file in files if file.is_file()]
    return [sum(size for size, _ in states), max(time for _, time in states)] if states else None


def write_json(path: Path, value: Any) -> None:
    """Writes JSON to a file that appears whole or not at all."""
    write_whole(path, [json.dumps(value, indent=1, ensure_ascii=False).encode(), b"\n"])


def write_table(path: Path, rows: Iterable[Sequence[Any]]) -> str:
    """
    Rows as tab-separated values, which are returned too; `None` is an empty cell. The file appears
    whole.
    """
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    write_whole(path, [text.encode()])
    return text


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)
