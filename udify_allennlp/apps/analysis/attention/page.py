"""
Attention as an HTML page: two columns of words or wordpieces, joined by lines whose strength shows
the attention (thesis, Figures 4.5 to 4.8). The page is self-contained and runs no scripts.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from udify_allennlp.apps.pages.rendering import render

WEAKEST = 0.02
"""Attention below this is not drawn: thousands of invisible lines."""

_STEP = 18
_LEFT, _RIGHT, _WIDTH = 130, 270, 400


class AttentionMap(NamedTuple):
    """
    The attention of one head of a model: the weights that each label, a row, gives to the others.
    """

    model: str
    layer: int
    head: int
    labels: Sequence[str]
    """Words or wordpieces."""
    values: numpy.ndarray

    @property
    def title(self) -> str:
        return f"{self.model}: layer {self.layer}, head {self.head}"


def attention_page(sentence: str, rows: list[list[AttentionMap]]) -> str:
    """
    Returns a page with a row of maps for each head and a column for each model, which are stacked
    on narrow screens. The largest share of all is the strongest line.
    """
    most = max((float(item.values.max()) for row in rows for item in row), default=1.0)
    return render(
        "attention.html",
        title="Attention",
        sentence=sentence,
        weakest=WEAKEST,
        most=f"{most:.2f}",
        rows=[[_map(item, most) for item in row] for row in rows],
        step=_STEP,
        left=_LEFT,
        right=_RIGHT,
        width=_WIDTH,
    )


def _map(item: AttentionMap, most: float) -> dict[str, Any]:
    return {
        "title": item.title,
        "height": _STEP * (len(item.labels) + 1),
        "labels": [
            {"text": label, "y": _y(row), "lines": _lines(item, row, most)}
            for row, label in enumerate(item.labels)
        ],
    }


def _lines(item: AttentionMap, row: int, most: float) -> list[dict[str, Any]]:
    return [
        {
            "text": item.labels[column],
            "y": _y(column),
            "opacity": f"{share / most:.3f}",
            "share": f"{share:.3f}",
        }
        for column, share in enumerate(item.values[row].tolist())
        if share >= WEAKEST
    ]


def _y(row: int) -> int:
    return _STEP * row + _STEP
