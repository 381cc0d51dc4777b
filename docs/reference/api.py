"""What Python programs use, from signatures and docstrings."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from docs.reference.markdown import fence, prose, table
from docs.reference.names import documented, plain_type
from udify_allennlp import Parser, Sentence, read_sentences, write_sentences
from udify_allennlp.archives.card import Card
from udify_allennlp.text.document import Document
from udify_allennlp.text.parsed import ParsedSentence, SurfaceToken
from udify_allennlp.text.word import Word

CLASSES = (Parser, Document, ParsedSentence, Word, SurfaceToken, Card, Sentence)
FUNCTIONS = (read_sentences, write_sentences)
_SPECIAL = ("__init__", "__call__")


def markdown() -> str:
    """A section for each class and function."""
    return "\n".join([*map(_class, CLASSES), *map(_function, FUNCTIONS)])


def summary() -> str:
    """The names alone, with a row for each class."""
    rows = [
        (f"`{cls.__name__}`", f"`{cls.__module__}`", ", ".join(f"`{name}`" for name in _names(cls)))
        for cls in CLASSES
    ]
    functions = ", ".join(f"`{function.__name__}{_signature(function)}`" for function in FUNCTIONS)
    return f"{table(('class', 'module', 'members'), rows)}\nFunctions: {functions}.\n"


def _names(cls: Any) -> list[str]:
    """The public members, attributes first."""
    names = dict.fromkeys([*vars(cls).get("__annotations__", ()), *vars(cls)])
    return [name for name in names if not name.startswith("_")]


def _class(cls: Any) -> str:
    parts = [f"### {cls.__name__}\n", f"`{cls.__module__}`\n", _text(inspect.getdoc(cls) or "")]
    fields = list(_fields(cls))
    if fields:
        parts.append(table(("attribute", "type", "meaning"), fields))
    for name, member in vars(cls).items():
        if name.startswith("_") and name not in _SPECIAL:
            continue
        if isinstance(member, property):
            returned = plain_type(inspect.signature(member.fget).return_annotation)  # type: ignore[arg-type]
            parts.append(f"**`.{name}`** : `{returned}`\n")
            parts.append(_text(inspect.getdoc(member) or ""))
        elif name == "__init__" and not fields:
            parts.append(fence(f"{cls.__name__}{_signature(member)}", "text"))
        elif name != "__init__" and callable(getattr(cls, name)):
            function = getattr(member, "__func__", member)
            owner = cls.__name__ if isinstance(member, classmethod) else ""
            called = owner.lower() if name == "__call__" else f"{owner}.{name}"
            called = called or cls.__name__.lower()
            parts.append(f"**`{called}{_signature(function)}`**\n")
            parts.append(_text(inspect.getdoc(member) or ""))
    return "\n".join(parts)


def _function(function: Any) -> str:
    heading = f"### {function.__name__}\n"
    return "\n".join(
        [heading, fence(function.__name__ + _signature(function), "text"), _text(function.__doc__)]
    )


def _signature(function: Any) -> str:
    found = inspect.signature(function)
    given = [each for name, each in found.parameters.items() if name not in ("self", "cls")]
    shown = [str(each.replace(annotation=each.empty)) for each in given]
    back = found.return_annotation
    ending = "" if back in (found.empty, None) else f" -> {plain_type(back)}"
    return f"({', '.join(shown)}){ending}"


def _text(doc: str) -> str:
    """A docstring, its parameters as a list."""
    description, *sections = re.split(r"^# ", inspect.cleandoc(doc), flags=re.MULTILINE)
    parts = [prose(description.strip())]
    for section in sections:
        title, _, body = section.partition("\n")
        if title == "Parameters":
            found = documented(inspect.cleandoc(doc))
            parts.append("".join(f"- `{name}`: {text}\n" for name, text in found.items() if text))
        else:
            parts.append(f"{title}: {' '.join(body.split())}\n")
    return "\n".join(parts)


def _fields(cls: Any) -> Iterator[tuple[str, str, str]]:
    """What a class declares, with the string that stands below it."""
    if "__annotations__" not in vars(cls):
        return
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    body: list[ast.stmt] = getattr(node, "body", [])
    texts: dict[str, str] = {}
    for statement, below in zip(body, [*body[1:], None]):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            texts[name] = str(below.value.value) if is_text else ""  # type: ignore[union-attr]
            yield f"`{name}`", f"`{ast.unparse(statement.annotation)}`", texts[name]
