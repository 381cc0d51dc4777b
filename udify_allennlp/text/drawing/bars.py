"""Bars under a drawn tree, a line below the other: each is under the words that it is of."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from udify_allennlp.text.drawing.layout import LONGEST

LINE = 30
"""Pixels from a line of bars to the next."""
NO_BAR = "sense"
"""The kind of what is a label without a bar."""


class Bar(NamedTuple):
    """A bar over the words from the first to the last."""

    start: int
    end: int
    label: str
    kind: str
    """`role`, `sense` or `phrase`."""
    mark: str
    """`gold` or `pred`: who alone has it; empty where there is but one tree, or both have it."""


def draw(
    lines: Sequence[Sequence[Bar]], ends: Callable[[int], tuple[int, int]], top: int
) -> list[str]:
    """
    Elements of the drawing.

    # Parameters

    lines : `Sequence[Sequence[Bar]]`
    ends : `Callable[[int], Tuple[int, int]]`
        Where a word begins and where it ends, in pixels, the smaller first.
    top : `int`
        Where the first line begins.
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
