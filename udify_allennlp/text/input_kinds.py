"""
The kind of a file's content: raw text, CoNLL-U or lines of JSON, determined by its name or else by
its beginning.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import IO, NamedTuple, Optional

from udify_allennlp.text.files import DAMAGED, open_compressed
from udify_allennlp.text.sentence import BOM

TEXT, CONLLU, JSON = "raw text", "CoNLL-U", "lines of JSON"
BRACKETED = (".mrg", ".ptb", ".trees")
"""Endings of bracketed files with phrase structure, which are read as CoNLL-U."""
_KINDS = {
    **dict.fromkeys((".txt", ".text", ".md"), TEXT),
    **dict.fromkeys((".conllu", ".conllup", ".conll", ".conll05", ".conll09"), CONLLU),
    **dict.fromkeys(BRACKETED, CONLLU),
    **dict.fromkeys((".json", ".jsonl"), JSON),
}
_COMPRESSED = (".gz", ".xz", ".bz2")
_ROW = re.compile(rb"\d+(?:[-.]\d+)?\t")
_COMMENT = re.compile(rb"#\s*(?:(?:sent_id|text|global\.columns)\s*=|newdoc\b|newpar\b)")
_STANDARD_INPUT = ("-", "/dev/stdin")


class InputFile(NamedTuple):
    path: str
    kind: str
    """`TEXT`, `CONLLU` or `JSON`."""
    lines: Optional[Iterable[bytes]]
    """The complete content of a pipe, which can be read only once."""


def kind_of_name(path: str) -> Optional[str]:
    """
    Returns `TEXT` for names in `.txt`, `.text` and `.md`, `CONLLU` for `.conllu`, other names in
    `.conll` and those of bracketed files, `JSON` for `.json` and `.jsonl`, in upper or lower case,
    possibly compressed; `None` for others.
    """
    return _KINDS.get(_ending(path))


def is_bracketed(path: str) -> bool:
    """
    Returns whether a name is that of a bracketed file, in upper or lower case, perhaps compressed.
    """
    return _ending(path) in BRACKETED


def _ending(path: str) -> str:
    name = path.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return os.path.splitext(name)[1]


def kind_of_file(path: str) -> Optional[str]:
    """Returns the kind of a file, by its name or else by its beginning; `None` for a pipe."""
    return kind_of_name(path) or (_kind_of_content(path) if os.path.isfile(path) else None)


def is_text(path: str) -> bool:
    """
    Returns whether a file holds raw text, by its name or else by its beginning; never for a pipe.
    """
    return kind_of_file(path) == TEXT


def kind_of_text(text: str) -> str:
    """Returns the kind of a file's content, by its beginning."""
    return _kind_of_lines(line.encode() for line in text.split("\n"))[0]


def look_at(path: str, standard_input: IO[bytes]) -> InputFile:
    """
    Determines the kind of a file's content. From a pipe, such as `-`, lines are read until the kind
    is clear.
    """
    kind = kind_of_name(path)
    if path not in _STANDARD_INPUT and (kind or os.path.isfile(path)):
        return InputFile(path, kind or _kind_of_content(path), None)
    file = standard_input if path in _STANDARD_INPUT else open(path, "rb")  # noqa: SIM115
    kind, head = _kind_of_lines(file)
    shown = "standard input" if path in _STANDARD_INPUT else path
    return InputFile(shown, kind, chain(head, file))


def _kind_of_content(path: str) -> str:
    with suppress(*DAMAGED), open_compressed(path) as file:
        return _kind_of_lines(file)[0]
    return CONLLU  # whose reader says what is damaged


def _kind_of_lines(file: Iterable[bytes]) -> tuple[str, list[bytes]]:
    """
    Determines the kind by the first line that is neither blank nor begins with `#`: CoNLL-U begins
    with an id and a tab, a line of JSON is an object, any other line is raw text.
    """
    head: list[bytes] = []
    has_comment = False
    for line in _noted(file, head):
        shown = line.removeprefix(BOM.encode()).strip()
        if shown.startswith(b"#") or not shown:
            has_comment = has_comment or bool(_COMMENT.match(shown))
            continue
        if has_comment or _ROW.match(shown):
            return CONLLU, head
        return (JSON if _is_object(shown) else TEXT), head
    return (CONLLU if has_comment else TEXT), head


def _noted(file: Iterable[bytes], head: list[bytes]) -> Iterator[bytes]:
    for line in file:
        head.append(line)
        yield line


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
