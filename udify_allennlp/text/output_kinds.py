"""
Parsed sentences written in the format of the file's name: CoNLL-U, JSON, tables, roles, brackets.
"""

import csv
import io
import os
import sys
from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import IO, Any, Optional

from udify_allennlp.text import word_table
from udify_allennlp.text.conllu import separate_block, write_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import compression, whole_file
from udify_allennlp.text.input_kinds import BRACKETED
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.roles.files import write_roles
from udify_allennlp.text.roles.styles import STYLES, style_of_name
from udify_allennlp.text.sentence import Sentence

_CONLLU = ("", ".conllu", ".conll")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = ".parquet"
_ENDINGS = (*_CONLLU[1:2], ".jsonl", *_SEPARATORS, _PARQUET)
ROLES, CONSTITUENTS = "roles", "constituents"
"""Tasks whose predictions have separate file formats."""
_ROWS = 65536  # of a part of a Parquet file, which are in memory together


def check_output(path: str, tasks: Container[str] = ()) -> None:
    """
    Checks that the predictions of these tasks can be written to a file of this name.

    # Raises

    `InputError` if the ending is not supported, or a package is missing.
    """
    ending = _ending(path)
    formats = [f".{style}" for style in STYLES] if ROLES in tasks else []
    formats += BRACKETED if CONSTITUENTS in tasks else []
    # A parser's trees of a file of roles are CoNLL-U under that file's name.
    styles = tuple(f".{style}" for style in STYLES)
    if ending == _PARQUET:
        _pyarrow()
        if compression(path):
            raise InputError(
                f"{path}: Parquet is compressed by itself. Remove {compression(path)}."
            )
    elif ending not in (*_CONLLU, *_ENDINGS, *styles, *formats) and (
        os.path.isfile(path) or not os.path.exists(path)
    ):
        raise InputError(
            f"{path}: the ending {ending} is not supported. Use {', '.join([*_ENDINGS, *formats])}."
        )


def write_output(
    sentences: Iterable[Sentence], path: str, tasks: Container[str] = (), is_text: bool = False
) -> None:
    """
    Writes a file through `whole_file`.

    # Parameters

    sentences : `Iterable[Sentence]`
    path : `str`
        See `check_output`.
    tasks : `Container[str]`
        The predicted tasks: `roles` have separate formats.
    is_text : `bool`
        True if they come from raw text: tables then contain the position of each word in it.
    """
    ending = _ending(path)
    if ROLES in tasks and style_of_name(path):
        write_roles(sentences, path, str(style_of_name(path)))
    elif ending == ".jsonl":
        with whole_file(path) as file:
            for sentence in sentences:
                file.write(ParsedSentence(sentence).to_json().encode("utf-8") + b"\n")
    elif ending in (*_SEPARATORS, _PARQUET):
        rows = word_table.rows(placed(sentences, is_text), heads=True)
        with whole_file(path) as file:
            if ending == _PARQUET:
                _write_parquet(rows, file)
            else:
                _write_separated(rows, file, _SEPARATORS[ending])
    else:
        write_sentences(sentences, path)


def print_sentences(sentences: Iterable[Sentence]) -> None:
    """Writes CoNLL-U to standard output, each sentence as soon as it is there."""
    for sentence in sentences:
        # Bytes: CoNLL-U is UTF-8 whatever the terminal's encoding is.
        sys.stdout.buffer.write(separate_block(sentence).encode("utf-8"))
        sys.stdout.flush()


def _ending(path: str) -> str:
    return os.path.splitext(path.removesuffix(compression(path)))[1].lower()


def placed(sentences: Iterable[Sentence], is_text: bool) -> Iterator[ParsedSentence]:
    """
    Yields the sentences with the number of the file of each, and its place in it if that is raw
    text.
    """
    path: Optional[str] = None
    number, start = -1, 0
    for sentence in sentences:
        if sentence.path != path:
            path, number, start = sentence.path, number + 1, 0
        yield ParsedSentence(sentence, start if is_text else None, number)
        start += len(rebuild([sentence])) if is_text else 0


def _write_separated(rows: Iterable[dict[str, Any]], file: IO[bytes], separator: str) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    names = word_table.columns(heads=True)
    writer = csv.DictWriter(text, names, delimiter=separator, lineterminator="\n")
    try:
        writer.writeheader()
        writer.writerows(rows)
    finally:
        text.detach()  # writes what it holds; the file is closed by whoever opened it


def _write_parquet(rows: Iterator[dict[str, Any]], file: IO[bytes]) -> None:
    arrow = _pyarrow()
    numbers = (*word_table.NUMBERS, *word_table.GAPPY_NUMBERS)
    names = word_table.columns(heads=True)
    schema = arrow.schema(
        [(name, arrow.int64() if name in numbers else arrow.string()) for name in names]
    )
    with arrow.parquet.ParquetWriter(file, schema) as writer:
        while part := _part(rows):
            writer.write_table(arrow.Table.from_pylist(part, schema))


def _part(rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(islice(rows, _ROWS))


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            "A table in .parquet needs pyarrow. Install it: pip install 'udify_allennlp[pandas]'"
        ) from None
    return pyarrow
