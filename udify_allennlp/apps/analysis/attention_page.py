"""
Attention as a page of HTML: two columns of wordpieces, joined by lines as strong as the attention
(thesis, Figures 4.5 to 4.8). The page needs nothing from outside and runs no scripts.
"""

from html import escape
from typing import List, NamedTuple, Sequence

import numpy

WEAKEST = 0.02
"""Attention below this is not drawn: thousands of lines that no eye can see."""

_STEP = 18
_LEFT, _RIGHT, _WIDTH = 130, 270, 400
_STYLE = """
body { font-family: sans-serif; margin: 1.5em; }
td, th { vertical-align: top; padding: 0 1em 1em 0; text-align: left; }
svg { font-size: 12px; }
line { stroke: #1f77b4; stroke-width: 2; }
svg:has(g:hover) g:not(:hover) line { stroke-opacity: 0; }
g:hover text { font-weight: bold; }
rect { fill: transparent; }
"""


class AttentionMap(NamedTuple):
    """The attention of one head of a model: what each wordpiece, a row, gives to each other."""

    model: str
    layer: int
    head: int
    pieces: Sequence[str]
    values: numpy.ndarray

    @property
    def title(self) -> str:
        return f"{self.model}: layer {self.layer}, head {self.head}"


def attention_page(sentence: str, rows: List[List[AttentionMap]]) -> str:
    """A page with a row of maps for each head and a column for each model."""
    cells = "\n".join(
        "<tr>" + "".join(f"<td>{_map(item)}</td>" for item in row) + "</tr>" for row in rows
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Attention</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>Attention</h1><p>{escape(sentence)}</p>\n"
        "<p>The wordpieces on the left attend to those on the right; the stronger a line, the "
        f"larger the share. Shares below {WEAKEST} are not drawn. Point at a wordpiece on the "
        "left to see it alone, at a line to read its share.</p>\n"
        f"<table>{cells}</table>\n</body></html>\n"
    )


def _map(item: AttentionMap) -> str:
    height = _STEP * (len(item.pieces) + 1)
    texts = [
        f'<text x="{_RIGHT + 6}" y="{_y(row) + 4}">{escape(piece)}</text>'
        for row, piece in enumerate(item.pieces)
    ]
    groups = []
    for row, piece in enumerate(item.pieces):
        lines = [
            f'<line x1="{_LEFT}" y1="{_y(row)}" x2="{_RIGHT}" y2="{_y(column)}" '
            f'opacity="{share:.3f}"><title>{escape(piece)} &#8594; '
            f"{escape(item.pieces[column])}: {share:.3f}</title></line>"
            for column, share in enumerate(item.values[row].tolist())
            if share >= WEAKEST
        ]
        groups.append(
            f'<g><rect x="0" y="{_y(row) - _STEP // 2}" width="{_LEFT}" height="{_STEP}"/>'
            f'<text x="{_LEFT - 6}" y="{_y(row) + 4}" text-anchor="end">{escape(piece)}</text>'
            f'{"".join(lines)}</g>'
        )
    return (
        f"<h3>{escape(item.title)}</h3>"
        f'<svg width="{_WIDTH}" height="{height}" role="img">{"".join(texts + groups)}</svg>'
    )


def _y(row: int) -> int:
    return _STEP * row + _STEP
