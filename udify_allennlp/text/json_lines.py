"""Lines of `{"sentence": "..."}`, with their errors."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.line_reader import decoded, numbered
from udify_allennlp.text.sentence import half_character


def read_json_lines(file: Iterable[bytes], path: str) -> Iterator[dict[str, Any]]:
    """
    Yields the values of all non-empty lines. Raises `ConlluError` with `path` and line for invalid
    ones.
    """
    for number, raw in numbered(file, path):
        if raw.isspace():
            continue
        line = decoded(raw, path, number)
        try:
            value = json_line(line)
        except ValueError as error:
            raise ConlluError(f"{path}:{number}: {error}") from None
        yield value


def json_line(line: str) -> dict[str, Any]:
    """Returns the value of one line. Raises `ValueError` if it has no text under `sentence`."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # of a number of more than 4300 digits; of deep nesting
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("sentence"), str):
        raise ValueError(
            f'Not a line of {{"sentence": "..."}}: {line[:60].rstrip()!r}. Name CoNLL-U files '
            ".conllu, and raw text .txt."
        )
    half = half_character(value["sentence"])
    if half is not None:
        raise ValueError(
            f"the sentence has {value['sentence'][half]!r}, half of a character. Write characters "
            r"beyond \uffff as they are or as two escapes, such as \ud83d\ude00."
        )
    return value
