"""Lines of `{"sentence": "..."}`, and what can be wrong with one."""

import json
from typing import Any, Dict, Iterable, Iterator

from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.sentence import fault, half_character


def read_json_lines(file: Iterable[bytes], path: str) -> Iterator[Dict[str, Any]]:
    """The values of all lines but empty ones. `ConlluError` with `path` and line for others."""
    for number, raw in enumerate(file, start=1):
        if raw.isspace():
            continue
        try:
            value = json_line(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
            raise fault(path, number, what, "Convert the file to UTF-8.") from None
        except ValueError as error:
            raise ConlluError(f"{path}:{number}: {error}") from None
        yield value


def json_line(line: str) -> Dict[str, Any]:
    """The value of one line. `ValueError` if it has no text under `sentence`."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # of a number of more than 4300 digits; of deep nesting
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("sentence"), str):
        raise ValueError(
            f'Not a line of {{"sentence": "..."}}: {line[:60].rstrip()!r}. Name files of CoNLL-U '
            ".conllu, and of raw text .txt."
        )
    half = half_character(value["sentence"])
    if half is not None:
        raise ValueError(
            f"the sentence has {value['sentence'][half]!r}, half of a character. Write characters "
            r"beyond \uffff as they are or as two escapes, such as \ud83d\ude00."
        )
    return value
