"""The parameters of a request, from its query and its body, which is a form or JSON."""

import io
import json
from typing import Any
from urllib.parse import parse_qsl

from udify_allennlp.text.sentence import Sentence

Parameters = dict[str, str]
"""Values by name; parameters that were not sent are missing, and flags have an empty value."""


MAX_FIELDS = 100
"""Maximum number of parameters of a request; UDPipe has about ten."""


class RequestError(Exception):
    """
    An error in a request, reported to its sender in one line.

    # Parameters

    message : `str`
    status : `int`
        The HTTP status. UDPipe answers errors with 400.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(" ".join(message.split()))
        self.status = status


def parameters(query: bytes, content_type: str, body: bytes) -> Parameters:
    """
    Returns the parameters by name; the last of several values counts, and the form takes precedence
    over the query. UTF-8 may be raw or percent-encoded: clients send both, and `curl --data` does
    not encode. In JSON, `true` is a flag without a value, and `data` may be a list of sentences,
    which are lists of words.

    # Raises

    `RequestError` for parameters that are not UTF-8, not a form or a JSON object, incomplete, or
    more than `MAX_FIELDS`.
    """
    fields = _urlencoded(query)
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        fields.update(_multipart(content_type, body))
    elif kind == "application/x-www-form-urlencoded":
        fields.update(_urlencoded(body))
    elif kind == "application/json":
        fields.update(_json(body))
    elif body:
        raise RequestError(
            f"Content-Type {kind!r:.60} is not supported. Send application/x-www-form-urlencoded, "
            "multipart/form-data or application/json."
        )
    return fields


def _json(body: bytes) -> Parameters:
    try:
        body_fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The body is not JSON: {error}.") from None
    if not isinstance(body_fields, dict) or len(body_fields) > MAX_FIELDS:
        raise RequestError(f"The body is not a JSON object with at most {MAX_FIELDS} names.")
    fields: Parameters = {}
    for name, value in body_fields.items():
        if isinstance(value, str):
            fields[name] = value
        elif value is True:
            fields[name] = ""
        elif name == "data" and isinstance(value, list):
            if "tokenizer" in body_fields or "input" in body_fields:
                raise RequestError(
                    "The data are already words: omit tokenizer and input, or send a text."
                )
            fields[name] = "".join(_conllu(n, words) for n, words in enumerate(value, start=1))
        elif value is not False and value is not None:
            raise RequestError(f"The parameter {name!r:.60} is neither a string nor true or false.")
    return fields


def _conllu(number: int, words: Any) -> str:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RequestError(f"Sentence {number} of the data is not a list of words.")
    try:
        return Sentence.from_words(words).text
    except ValueError as error:
        raise RequestError(f"Sentence {number} of the data: {error}") from None


def _urlencoded(raw: bytes) -> Parameters:
    try:
        text = raw.decode("utf-8")
        return dict(
            parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
        )
    except UnicodeDecodeError:
        raise RequestError("The parameters are not UTF-8.") from None
    except ValueError as error:
        raise RequestError(f"The parameters cannot be read: {error}.") from None


def _multipart(content_type: str, body: bytes) -> Parameters:
    """Returns parameters and files, as from `curl -F data=@text.txt`; file names are ignored."""
    from python_multipart import parse_form
    from python_multipart.exceptions import FormParserError

    pairs: list[Any] = []

    def add(part: Any) -> None:
        pairs.append(part)
        if len(pairs) > MAX_FIELDS:
            raise FormParserError("Max number of fields exceeded")  # as `parse_qsl` says it

    try:
        # All of the body at once: it is in memory already.
        headers = {"Content-Type": content_type.encode("latin-1")}
        parse_form(headers, io.BytesIO(body), add, add, max(len(body), 1))
        return {_text(part.field_name): _text(_content(part)) for part in pairs}
    except FormParserError as error:
        raise RequestError(f"The multipart/form-data cannot be read: {error}.") from None


def _content(part: Any) -> bytes:
    if not hasattr(part, "file_object"):
        return part.value or b""
    part.file_object.seek(0)
    with part.file_object as file:
        return file.read()


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"byte 0x{raw[error.start]:02x} at {error.start}"
        raise RequestError(f"A part of the form is not UTF-8 ({what}).") from None
