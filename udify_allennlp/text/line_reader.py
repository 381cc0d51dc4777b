"""The lines of files as text, with their errors; tables, row by row."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import DAMAGED
from udify_allennlp.text.sentence import BOM, fault

_COMPRESSED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"PK\3\4": "zip"}
"""First bytes of compressed files, which no text begins with."""


def numbered(file: Iterable[bytes], path: str) -> Iterator[tuple[int, bytes]]:
    """
    Yields the lines of an open file that messages call `path`, with their numbers, from 1.

    # Raises

    `ConlluError` if it is compressed and damaged, or compressed without a name that says so.
    """
    number = 0
    try:
        for number, raw in enumerate(file, start=1):
            if number == 1:
                _check_uncompressed(raw, path)
            yield number, raw
    except DAMAGED as error:
        raise damaged(path, number + 1, error) from error


def _check_uncompressed(start: bytes, path: str) -> None:
    for mark, name in _COMPRESSED.items():
        if start.startswith(mark):
            raise fault(path, 1, f"the content is compressed ({name})", "Uncompress it first.")


def damaged(path: str, line: int, error: BaseException) -> ConlluError:
    """Returns the error for a compressed file that cannot be read from a line on."""
    what = f"the compressed file is damaged ({error})"
    return fault(path, line, what, "Download or compress it again.")


def decoded(block: bytes, path: str, line: int) -> str:
    """
    Returns the text of lines from number `line` on. Raises `ConlluError` if they are not UTF-8.
    """
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as error:
        line += block.count(b"\n", 0, error.start)
        what = f"byte 0x{block[error.start]:02x} is not UTF-8"
        raise fault(path, line, what, "Convert the file to UTF-8.") from error


def decoded_block(block: bytes, path: str, line: int) -> str:
    """
    Returns `decoded` without a byte order mark, which is allowed only at the start of the file.
    """
    text = decoded(block, path, line)
    if line > 1 and text.startswith(BOM):
        raise fault(
            path,
            line,
            "the line has a byte order mark, which is allowed only at the start of a file",
            "Remove it.",
        )
    return text


def read_rows(path: Any) -> list[dict[str, str]]:
    """
    Returns the rows of a tab-separated table, by the names of its columns. Lines that start with
    `#` are comments. `path` is a `pathlib` path or similar.
    """
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))
