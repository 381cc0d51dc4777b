"""The lines of files and what is wrong with them, as text; tables, row by row."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import DAMAGED
from udify_allennlp.text.sentence import BOM, fault


def numbered(file: Iterable[bytes], path: str) -> Iterator[tuple[int, bytes]]:
    """
    The lines of an open file that messages call `path`, with their numbers; the first is 1.

    # Raises

    `ConlluError` if it is compressed and damaged.
    """
    number = 0
    try:
        for number, raw in enumerate(file, start=1):
            yield number, raw
    except DAMAGED as error:
        raise damaged(path, number + 1, error) from error


def damaged(path: str, line: int, error: BaseException) -> ConlluError:
    """The error for a compressed file that cannot be read from a line on."""
    what = f"the compressed file is damaged ({error})"
    return fault(path, line, what, "Fetch or compress it again.")


def decoded(block: bytes, path: str, line: int) -> str:
    """The text of lines from number `line` on. `ConlluError` if they are not UTF-8."""
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as error:
        line += block.count(b"\n", 0, error.start)
        what = f"byte 0x{block[error.start]:02x} is not UTF-8"
        raise fault(path, line, what, "Convert the file to UTF-8.") from error


def decoded_block(block: bytes, path: str, line: int) -> str:
    """`decoded`, and no byte order mark at its beginning, unless that is the file's."""
    text = decoded(block, path, line)
    if line > 1 and text.startswith(BOM):
        raise fault(path, line, "a byte order mark stands inside the file", "Remove it.")
    return text


def read_rows(path: Any) -> list[dict[str, str]]:
    """
    The rows of a tab-separated table, by the names of its columns. Lines that start with `#` are
    comments. `path` is one of `pathlib`, or alike.
    """
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))
