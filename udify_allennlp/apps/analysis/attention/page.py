"""
Attention as a page of HTML: two columns of words or wordpieces, joined by lines as strong as the
attention (thesis, Figures 4.5 to 4.8). The page needs nothing from outside and runs no scripts.
"""

from html import escape
from typing import List, NamedTuple, Sequence

import numpy

WEAKEST = 0.02
"""Attention below this is not drawn: thousands of lines that no eye can see."""

_STEP = 18
_LEFT, _RIGHT, _WIDTH = 130, 270, 400
_STYLE = """
body { font: 15px/1.4 sans-serif; margin: 1.5em; color: #222; background: #fff;
  color-scheme: light; }
h1 { font-size: 1.4em; margin: 0; }
h3 { font-size: 1em; margin: .5em 0; }
.row { display: flex; flex-wrap: wrap; gap: 1em 2em; margin-bottom: 2em; }
.row > div { max-width: 100%; }
.scale { display: inline-block; width: 8em; height: .7em; margin: 0 .4em;
  background: linear-gradient(to right, #fff, #1f77b4); border: 1px solid #ccc; }
svg { font-size: 12px; max-width: 100%; height: auto; }
line { stroke: #1f77b4; stroke-width: 2; }
svg:has(g:hover) g:not(:hover) line { stroke-opacity: 0; }
g:hover text { font-weight: bold; }
rect { fill: transparent; }
"""


class AttentionMap(NamedTuple):
    """The attention of one head of a model: what each of its labels, a row, gives to each other."""

    model: str
    layer: int
    head: int
    labels: Sequence[str]
    """Words or wordpieces."""
    values: numpy.ndarray

    @property
    def title(self) -> str:
        return f"{self.model}: layer {self.layer}, head {self.head}"


def attention_page(sentence: str, rows: List[List[AttentionMap]]) -> str:
    """
    A page with a row of maps for each head and a column for each model; where it is narrow, below
    each other. The largest share of all is the strongest line.
    """
    most = max((float(item.values.max()) for row in rows for item in row), default=1.0)
    cells = "\n".join(
        f'<div class="row">{"".join(f"<div>{_map(item, most)}</div>" for item in row)}</div>'
        for row in rows
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Attention</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>Attention</h1><p>{escape(sentence)}</p>\n"
        "<p>What is on the left attends to what is on the right; the stronger a line, the larger "
        f"the share. Shares below {WEAKEST} are not drawn. Point at a word on the left to see it "
        f'alone, at a line to read its share.</p>\n<p>share 0<span class="scale"></span>{most:.2f}'
        f"</p>\n{cells}\n</body></html>\n"
    )


def _map(item: AttentionMap, most: float) -> str:
    height = _STEP * (len(item.labels) + 1)
    texts = [
        f'<text x="{_RIGHT + 6}" y="{_y(row) + 4}">{escape(label)}</text>'
        for row, label in enumerate(item.labels)
    ]
    groups = []
    for row, label in enumerate(item.labels):
        lines = [
            f'<line x1="{_LEFT}" y1="{_y(row)}" x2="{_RIGHT}" y2="{_y(column)}" '
            f'opacity="{share / most:.3f}"><title>{escape(label)} &#8594; '
            f"{escape(item.labels[column])}: {share:.3f}</title></line>"
            for column, share in enumerate(item.values[row].tolist())
            if share >= WEAKEST
        ]
        groups.append(
            f'<g><rect x="0" y="{_y(row) - _STEP // 2}" width="{_LEFT}" height="{_STEP}"/>'
            f'<text x="{_LEFT - 6}" y="{_y(row) + 4}" text-anchor="end">{escape(label)}</text>'
            f'{"".join(lines)}</g>'
        )
    return (
        f"<h3>{escape(item.title)}</h3>"
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img">'
        f'{"".join(texts + groups)}</svg>'
    )


def _y(row: int) -> int:
    return _STEP * row + _STEP
