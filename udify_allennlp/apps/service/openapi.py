"""The addresses of the service, their parameters and answers, as an OpenAPI 3.1 document."""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from udify_allennlp.apps.service.formats import JSON, READERS, WRITERS
from udify_allennlp.apps.service.models import ServedModel

GENERIC = "generic_tokenizer"
"""An input format of UDPipe: raw text, with the options of the tokenizer after `=`."""


class Parameter(NamedTuple):
    """A parameter of `/process`."""

    description: str
    values: tuple[str, ...] = ()
    """All values that it may have, without options after `=`; empty if any value is allowed."""
    is_flag: bool = False


PARAMETERS: dict[str, Parameter] = {
    "data": Parameter(
        "The text, in the format that `input` names. In JSON also a list of lists of words."
    ),
    "model": Parameter(
        "A name in /models, its beginning up to a hyphen, or a language of a model: `fr`, "
        "`french`, `french-gsd-ud-2.17-251125`. By default the first model."
    ),
    "tokenizer": Parameter(
        "`data` is raw text. Options are separated by `;`: `presegmented`, `ranges`, "
        "`normalized_spaces`.",
        is_flag=True,
    ),
    "tagger": Parameter("Predict UPOS, XPOS, feats and lemmas, or `none`.", is_flag=True),
    "parser": Parameter("Predict heads and deprels, or `none`.", is_flag=True),
    "input": Parameter("The format of `data`, without `tokenizer`.", (*READERS, GENERIC)),
    "output": Parameter("The format of `result`.", (*WRITERS, JSON)),
    "lang": Parameter(
        "The language of `data`, such as `fr` or `French`, or a treebank, such as `fr_gsd`. By "
        "default the language that `model` names, or the model's default; otherwise it is "
        "guessed."
    ),
}

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
_WORD = {
    "id": _COUNT,
    **dict.fromkeys(("form", "lemma", "upos", "xpos", "deprel", "misc"), _TEXT),
    "feats": {"type": "object", "additionalProperties": _TEXT},
    **dict.fromkeys(("head", "start", "end"), {"type": ["integer", "null"]}),
}


def openapi(models: Sequence[ServedModel], max_input: int) -> dict[str, Any]:
    """
    Returns the OpenAPI document.

    # Parameters

    models : `Sequence[ServedModel]`
        The models whose names it contains.
    max_input : `int`
        Maximum size of a request, in bytes.
    """
    names = ", ".join(model.name for model in models)
    process = _post_too("Parse a text", _process_answer(), _inputs(), max_input)
    listing = _post_too("The models and their languages", _models_answer())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Universal Dependencies by udify_allennlp",
            "version": sys.modules[__name__.partition(".")[0]].__version__,
            "description": f"UDPipe's REST interface. Models: {names}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/": _post_too("A page on which to type a text and see its trees", _page_answer()),
            **{f"{base}/models": listing for base in ("", "/api")},
            **{f"{base}/process": process for base in ("", "/api")},
            "/health": _get("Whether the service accepts requests", _json_of({"status": _TEXT})),
            "/metrics": _get("Metrics for Prometheus", _text_of("text/plain")),
            "/openapi.json": _get("This document", _json_of({})),
        },
    }


def _get(summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {"get": _operation(summary, answer)}


def _operation(summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    fault = {"description": "The error, in one line.", **_text_of("text/plain")}
    return {
        "summary": summary,
        "responses": {"200": {"description": "The answer.", **answer}, "default": fault},
    }


def _post_too(
    summary: str,
    answer: dict[str, Any],
    inputs: Sequence[dict[str, Any]] = (),
    max_input: int = 0,
) -> dict[str, Any]:
    operation = _operation(summary, answer)
    methods = {"get": dict(operation), "post": dict(operation)}
    if inputs:
        methods["get"]["parameters"] = list(inputs)
        schemas = {
            kind: {"schema": _body(is_json=kind.endswith("json"))}
            for kind in (
                "application/x-www-form-urlencoded",
                "multipart/form-data",
                "application/json",
            )
        }
        described = f"At most {max_input} bytes."
        methods["post"]["requestBody"] = {"description": described, "content": schemas}
    return methods


def _inputs() -> Sequence[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "required": name == "data",
            "allowEmptyValue": parameter.is_flag,
            **_described(parameter),
        }
        for name, parameter in PARAMETERS.items()
    ]


def _described(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if parameter.values:
        schema["examples"] = list(parameter.values)
    return {"description": parameter.description, "schema": schema}


def _body(is_json: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, parameter in PARAMETERS.items():
        description = _described(parameter)
        properties[name] = {"description": description["description"], **description["schema"]}
        if is_json and parameter.is_flag:
            properties[name]["type"] = ["string", "boolean"]
    if is_json:
        words = {"type": "array", "items": {"type": "array", "items": _TEXT}}
        properties["data"]["oneOf"] = [_TEXT, words]
        del properties["data"]["type"]
    return {"type": "object", "required": ["data"], "properties": properties}


def _process_answer() -> dict[str, Any]:
    sentence = {
        "sent_id": {"type": ["string", "null"]},
        "text": _TEXT,
        "words": {"type": "array", "items": {"type": "object", "properties": _WORD}},
        "multiword_tokens": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": _TEXT, "words": {"type": "array", "items": _COUNT}},
            },
        },
    }
    sentences = {"type": "array", "items": {"type": "object", "properties": sentence}}
    language = {
        "type": ["object", "null"],
        "properties": {
            "code": _TEXT,
            "name": _TEXT,
            "guessed": {"type": "boolean"},
            "trained": {"type": ["boolean", "null"]},
        },
    }
    return _json_of(
        {
            "model": _TEXT,
            "acknowledgements": {"type": "array", "items": _TEXT},
            "language": language,
            "warning": _TEXT,
            "result": {"oneOf": [_TEXT, sentences]},
        }
    )


def _models_answer() -> dict[str, Any]:
    lists = {
        "type": "object",
        "additionalProperties": {"type": "array", "items": _TEXT},
    }
    return _json_of({"models": lists, "default_model": _TEXT, "languages": lists})


def _page_answer() -> dict[str, Any]:
    return _text_of("text/html")


def _text_of(kind: str) -> dict[str, Any]:
    return {"content": {kind: {"schema": _TEXT}}}


def _json_of(properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"content": {"application/json": {"schema": schema}}}
