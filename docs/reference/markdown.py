"""Plain text of docstrings, comments and descriptions as Markdown."""

from collections.abc import Iterable, Sequence
from itertools import groupby


def fence(code: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{code.strip()}\n```\n"


def prose(text: str) -> str:
    """
    The same text, where lines that are indented by two spaces or more, and do not continue an item
    of a list, stand as they are.
    """
    parts: list[str] = []
    for as_is, lines in groupby(_with_kind(text.split("\n")), key=lambda pair: pair[0]):
        block = "\n".join(line for _, line in lines).strip("\n")
        parts.append(fence(_dedent(block), "text") if as_is else block)
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _with_kind(lines: Sequence[str]) -> Iterable[tuple]:
    as_is = in_list = False
    for line in lines:
        if line.strip():
            in_list = line.startswith("- ") or (in_list and line.startswith("  "))
            as_is = line.startswith("  ") and not in_list
        yield as_is, line


def _dedent(block: str) -> str:
    lines = block.split("\n")
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[margin:] for line in lines)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown of one line."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
