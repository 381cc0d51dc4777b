"""
Raw text in UTF-8 or in another encoding, line by line; byte order marks identify UTF-16 and -32.
"""

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Optional

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.line_reader import numbered
from udify_allennlp.text.sentence import fault

UTF_8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_REMEDY = (
    "Convert the file to UTF-8, or name its encoding: predict --encoding latin-1 (also for "
    "udify-onnx)."
)


def check_encoding(name: str) -> None:
    """
    # Raises

    `InputError` if Python does not know the text encoding.
    """
    try:
        "".encode(name)
    except LookupError:
        raise InputError(
            f"--encoding {name}: unknown encoding. Use utf-8, utf-16, latin-1, cp1252, or another "
            "encoding of Python."
        ) from None


def text_lines(file: Iterable[bytes], path: str, encoding: Optional[str] = None) -> Iterator[str]:
    r"""
    Yields the lines of an open file that messages call `path`, with their ends, without the byte
    order mark; only `\n` ends a line.

    # Parameters

    file : `Iterable[bytes]`
        The bytes of the file in parts, such as lines.
    path : `str`
    encoding : `Optional[str]`
        By default UTF-8, or UTF-16 if every other byte at the beginning is zero. A byte order mark
        overrides it.

    # Raises

    `ConlluError` with file and line for bytes that are invalid in the encoding, and for a damaged
    compressed file.
    """
    parts = (raw for _, raw in numbered(file, path))
    first = next(parts, b"")
    encoding = _marked(first) or encoding or _unmarked(first)
    decoder = codecs.getincrementaldecoder(encoding)()
    number, held = 1, ""
    for raw in chain([first], parts, [b""]):
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            shown = UTF_8 if encoding == "utf-8-sig" else encoding
            number += error.object.count(b"\n", 0, error.start) if shown == UTF_8 else 0
            what = f"byte 0x{error.object[error.start]:02x} is not {shown.upper()}"
            raise fault(path, number, what, _REMEDY) from error
        *lines, held = (held + text).split("\n")
        number += len(lines)
        for line in lines:
            yield f"{line}\n"
    if held:
        yield held


def _marked(start: bytes) -> Optional[str]:
    return next((name for mark, name in _MARKS if start.startswith(mark)), None)


def _unmarked(start: bytes) -> str:
    if len(start) > 1 and bool(start[0]) != bool(start[1]):
        return "utf-16-le" if start[0] else "utf-16-be"
    return UTF_8
