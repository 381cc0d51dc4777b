"""A tree as text, drawn with lines."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Node = TypeVar("Node")


def branches(
    roots: Sequence[Node],
    line: Callable[[Node], str],
    children: Callable[[Node], Sequence[Node]],
) -> str:
    """Returns each node in a separate line under its parent, children in order."""
    lines: list[str] = []
    stack = [(root, "", "") for root in reversed(roots)]
    while stack:
        node, branch, indent = stack.pop()
        lines.append(f"{branch}{line(node)}\n")
        below = children(node)
        for place, child in reversed(list(enumerate(below, start=1))):
            step = ("└── ", "    ") if place == len(below) else ("├── ", "│   ")
            stack.append((child, indent + step[0], indent + step[1]))
    return "".join(lines)
