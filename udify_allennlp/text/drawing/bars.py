"""Bars under a drawn tree, in lines below each other: each is under the words that it covers."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from udify_allennlp.text.drawing.layout import LONGEST

LINE = 30
"""Distance between lines of bars, in pixels."""
NO_BAR = "sense"
"""The kind of labels without a bar."""


class Bar(NamedTuple):
    """A bar over the words from the first to the last."""

    start: int
    end: int
    label: str
    kind: str
    """`role`, `sense` or `phrase`."""
    mark: str
    """
    `gold` or `pred` if only that tree has it; empty if there is only one tree, or both have it.
    """


def draw(
    lines: Sequence[Sequence[Bar]], ends: Callable[[int], tuple[int, int]], top: int
) -> list[str]:
    """
    Returns elements of the drawing.

    # Parameters

    lines : `Sequence[Sequence[Bar]]`
    ends : `Callable[[int], Tuple[int, int]]`
        Returns the start and the end of a word, in pixels, the smaller first.
    top : `int`
        Top of the first line.
    """
    parts = []
    for number, line in enumerate(lines):
        y = top + LINE * number
        for start, end, label, kind, mark in line:
            places = [*ends(start), *ends(end)]
            left, right = min(places), max(places)
            shown = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
            if kind != NO_BAR:
                classes = f"{kind} {mark}".strip()
                parts.append(f'<path class="{classes}" d="M{left},{y}v4H{right}v-4"/>')
            text = f"{shown} {'✗' if mark == 'pred' else '✓'}" if mark else shown
            parts.append(
                f'<text x="{(left + right) // 2}" y="{y + 15}" '
                f'class="{f"{kind} {mark}".strip()}">{escape(text)}</text>'
            )
    return parts
