"""
A drawn tree that wraps like text: cut between words into drawings that a page puts side by side,
and below each other where its width ends. An arc that is cut continues at the same height above the
words.
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple

from udify_allennlp.text.drawing.layout import width_of

STYLE = """
.wrapped { display: flex; flex-wrap: wrap; align-items: flex-end; row-gap: 1.5em }
.wrapped > svg { flex: none }
"""
"""The CSS of wrapped drawings, in addition to that of `svg.py`."""

_PART = re.compile(r"<(text|path)\b.*?(?:</text>|/>)", re.DOTALL)
_PLACE = re.compile(r' x="(-?\d+)" y="(-?\d+)" class="(\w+)')
_POINT = re.compile(r"[MQ ](-?\d+),(-?\d+)")
_LETTER = {"form": 9.0, "range": 8.0}  # pixels; others have 7
_MARGIN = 8  # pixels that letters may be wider than they are taken for
_ASCENT = 16  # pixels of a text above its line
_WIDEST = 200  # pixels of a piece that labels may forbid to cut: less than a telephone has


class Part(NamedTuple):
    """An element of a drawing, with its left, right and top."""

    left: float
    right: float
    top: int
    kind: str
    """The first class of a text; empty for a line."""
    element: str


def wrapped(svg: str) -> str:
    """
    Returns the `<div>` for a drawing of `tree_svg`; if it runs leftwards, `dir` must be `rtl`.
    """
    head = svg[: svg.index("</title>")]
    width, height = map(int, re.findall(r'(?:width|height)="(\d+)"', head)[:2])
    title, told = (
        re.search(f"<{name}>(.*?)</{name}>", svg, re.DOTALL)[1]  # type: ignore[index]
        for name in ("title", "desc")
    )
    parts = [_part(match) for match in _PART.finditer(svg, svg.index("</desc>"))]
    edges = [0, *_cuts(parts, width)]
    pieces = [_piece(parts, left, right, height) for left, right in zip(edges, edges[1:])]
    forms = [part for part in parts if part.kind == "form"]
    if len(forms) > 1 and forms[0].left > forms[-1].left:
        pieces.reverse()  # in the order of the text
    label = f"{title}. {told}".replace('"', "&quot;")
    return f'<div class="wrapped" role="img" aria-label="{label}">{"".join(pieces)}</div>'


def _part(match: "re.Match[str]") -> Part:
    element = match[0]
    if match[1] == "path":
        line = element.partition(' d="')[2].partition('"')[0]
        places = [(int(x), int(y)) for x, y in _POINT.findall(line)]
        across = [x for x, _ in places] + [int(x) for x in re.findall(r"H(-?\d+)", line)]
        down = [y for _, y in places] + [int(y) for y in re.findall(r"V(-?\d+)", line)]
        return Part(min(across) - 4, max(across) + 4, min(down) - 1, "", element)
    x, y, kind = _PLACE.search(element).groups()  # type: ignore[union-attr]
    shown = re.sub(r"<title>.*?</title>|<[^>]*>", "", element, flags=re.DOTALL)
    half = width_of(unescape(shown), _LETTER.get(kind, 7.0)) / 2
    return Part(int(x) - half, int(x) + half, int(y) - _ASCENT, kind, element)


def _cuts(parts: Sequence[Part], width: int) -> list[int]:
    """
    Returns positions between words without text; in drawings that would still be too wide, also
    positions with labels of arcs.
    """
    forms = sorted((part.left, part.right) for part in parts if part.kind == "form")
    middles = [round((a[1] + b[0]) / 2) for a, b in zip(forms, forms[1:])]
    texts = [part for part in parts if part.kind]
    labels = [part for part in texts if part.kind == "deprel"]
    words = [part for part in texts if part.kind != "deprel"]
    possible = [x for x in middles if not _stand_at(x, words)]
    free = [x for x in possible if not _stand_at(x, labels)]
    cuts: list[int] = []
    waiting = list(zip([0, *free], [*free, width]))
    while waiting:
        left, right = waiting.pop()
        inside = [x for x in possible if left < x < right]
        if right - left > _WIDEST and inside:
            cut = min(inside, key=lambda x: abs(left + right - 2 * x))
            waiting += (left, cut), (cut, right)
        else:
            cuts.append(right)
    return sorted(cuts)


def _stand_at(x: int, texts: Sequence[Part]) -> bool:
    return any(text.left < x < text.right for text in texts)


def _moved(label: Part, left: int, right: int) -> Part:
    """Returns the label of an arc, moved along it to a position without a cut."""
    step = round(max(left - label.left, 0) - max(label.right - right, 0))
    start = label.element.index(' x="') + 4
    end = label.element.index('"', start)
    place = int(label.element[start:end]) + step
    return label._replace(element=f"{label.element[:start]}{place}{label.element[end:]}")


def _piece(parts: Sequence[Part], left: int, right: int, height: int) -> str:
    """Returns the drawing between two cuts, from the top of its highest arc down."""
    inside = []
    for part in parts:
        margin = _MARGIN if part.kind else 0
        if part.kind == "deprel":
            if left <= (part.left + part.right) / 2 < right:
                inside.append(_moved(part, left, right))
        elif part.left - margin < right and left < part.right + margin:
            inside.append(part)
    top = max(0, min((part.top for part in inside), default=0))
    size = f"{right - left} {height - top}"
    return (
        f'<svg class="tree" width="{right - left}" height="{height - top}" '
        f'viewBox="{left} {top} {size}">{"".join(part.element for part in inside)}</svg>'
    )
