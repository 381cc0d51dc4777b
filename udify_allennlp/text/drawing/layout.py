"""
The positions of the words and arcs of a drawn tree, in pixels; `svg.py` draws them. Empty nodes
stand between the words, so "words" here include them, numbered from 1.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from udify_allennlp.text.non_word_rows import MultiwordToken

MarkedText = tuple[str, str]
"""
A text and its mark: `""` if both trees agree, `gold` or `pred` if only that one has it, and `empty`
for an empty node.
"""

LONGEST = 28  # characters of a text that are shown; all of it is in the tooltip
SPREAD = 7  # pixels between the ends of arcs at one word
_GAP = 14  # pixels between words


class Arc(NamedTuple):
    """A drawn arc; `head` 0 is ROOT. It has two labels if the trees differ only in these."""

    head: int
    dependent: int
    labels: tuple[MarkedText, ...]
    mark: str


def levels_of(arcs: Sequence[Arc], words: int) -> list[int]:
    """
    Returns the height of each arc: above all shorter ones that share a gap between words with it.
    """
    levels = [0] * len(arcs)
    gaps = [0] * (words + 1)  # of the highest arc so far over the gap after each word
    for index in sorted(range(len(arcs)), key=lambda i: abs(arcs[i].head - arcs[i].dependent)):
        low, high = sorted(arcs[index][:2])
        if low:
            levels[index] = 1 + max(gaps[low:high])
            gaps[low:high] = [levels[index]] * (high - low)
    top = 1 + max(levels, default=0)
    return [level or top for level in levels]  # ROOT is above everything


def ends_of(arcs: Sequence[Arc], levels: Sequence[int], words: int) -> list[list[int]]:
    """
    Returns the arcs that meet at ROOT and at each word, in the order in which they touch it: to
    words before it, the low ones first; from ROOT; to words after it, the high ones first. So none
    cross there.
    """
    ends: list[list[tuple[int, int, int]]] = [[] for _ in range(words + 1)]
    for index, arc in enumerate(arcs):
        for word, other in ((arc.dependent, arc.head), (arc.head, arc.dependent)):
            side = 0 if other == 0 else (1 if other > word else -1)
            ends[word].append((side, -side * levels[index], index))
    return [[index for _, _, index in sorted(here)] for here in ends]


def stretches_of(arcs: Sequence[Arc], levels: Sequence[int]) -> list[tuple[int, int]]:
    """
    Returns for each arc the first and the last word under its label: the whole arc, unless arcs
    above end at words in between. Then it is the widest gap between two of those and, among equal
    ones, the one nearest to the middle, so that no line crosses a label.
    """
    landing: list[int] = [0] * (1 + max((max(arc[:2]) for arc in arcs), default=0))
    for arc, level in zip(arcs, levels):
        for word in arc[:2]:
            landing[word] = max(landing[word], level)  # the highest arc that ends there
    stretches = []
    for arc, level in zip(arcs, levels):
        low, high = sorted(arc[:2])
        if not low:
            stretches.append((high, high))
            continue
        stops = [low, *(w for w in range(low + 1, high) if landing[w] > level), high]
        stretches.append(
            max(
                zip(stops, stops[1:]),
                key=lambda stretch: (stretch[1] - stretch[0], -abs(sum(stretch) - low - high)),
            )
        )
    return stretches


def centres_of(
    arcs: Sequence[Arc],
    cells: Sequence[Sequence[tuple[str, MarkedText]]],
    ends: Sequence[Sequence[int]],
    stretches: Sequence[tuple[int, int]],
    brackets: Sequence[MultiwordToken] = (),
) -> tuple[list[float], float]:
    """
    Returns the middle of each word (0: nothing) and the total width, with room for texts and
    labels.
    """
    widths = [0.0]
    for word, rows in enumerate(cells, start=1):
        texts = max(width_of(piece[1], 9 if kind == "form" else 7) for kind, piece in rows)
        widths.append(max(texts, SPREAD * len(ends[word])) + _GAP)
    needs: list[list[tuple[int, float]]] = [[] for _ in widths]
    edge = 0.0
    for first, last, form in brackets:
        room = width_of(form, 8) + _GAP
        if first == last:
            widths[first] = max(widths[first], room)
        else:
            needs[last].append((first, room - (widths[first] + widths[last]) / 2))
    for arc, (low, high) in zip(arcs, stretches):
        label = label_width(arc)
        room = SPREAD * (len(ends[low]) + len(ends[high])) / 2
        if low < high:
            needs[high].append((low, label + room))
        else:
            widths[high] = max(widths[high], label)
            edge = max(edge, label / 2)
    centres = [0.0]
    right = max(edge - widths[1] / 2, 4.0)
    for word in range(1, len(widths)):
        least = [centres[low] + room for low, room in needs[word]]
        centres.append(max([right + widths[word] / 2, *least]))
        right = centres[word] + widths[word] / 2
    return centres, right + max(edge - widths[-1] / 2, 4.0)


def label_width(arc: Arc) -> float:
    """Returns the width of an arc's label, with room around it."""
    return sum(width_of(text, 7) for _, text in arc.labels) + 10 * len(arc.labels)


def width_of(text: str, size: float) -> float:
    """
    Returns the approximate width of a text in pixels, `size` per letter, since no font is
    available.
    """
    width = 0.0
    for char in text[:LONGEST]:
        if unicodedata.east_asian_width(char) in "WF":
            width += 1.8 * size
        elif unicodedata.category(char) not in ("Mn", "Me", "Cf"):
            width += size
    return width
