"""Folders and files of results."""

import json
import re
from pathlib import Path
from typing import Any, Iterable, List, Sequence

from allennlp.common.checks import ConfigurationError


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


def names_of(paths: Sequence[str]) -> List[str]:
    """
    Short names for models in tables and figures: the end of each path, as much of it as it takes
    to tell them apart.

    # Raises

    `ConfigurationError` if two of them are the same.
    """
    parts = [Path(path).parts for path in paths]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    twice = next(path for path, part in zip(paths, parts) if parts.count(part) > 1)
    raise ConfigurationError(f"{twice!r} is given twice. Name each model once.")


def numbers(text: str, option: str) -> List[int]:
    """
    `1,3,7-9` as a list.

    # Raises

    `ConfigurationError` for anything else.
    """
    found: List[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        first, last = match.group(1, 2) if match else ("", None)
        if not match or int(last or first) < int(first):
            raise ConfigurationError(
                f"{option} is {text!r}. Give numbers and ranges such as 1,3,7-9."
            )
        found.extend(range(int(first), int(last or first) + 1))
    return list(dict.fromkeys(found))


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_table(path: Path, rows: Iterable[Sequence[Any]]) -> str:
    """Rows as tab-separated values, which are returned too; `None` is an empty cell."""
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return text


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)
