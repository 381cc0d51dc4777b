"""Stack, buffer and deleted list as one sequence (Mohammadshahi 2023, sections 2.3 and 2.4)."""

from typing import NamedTuple

import numpy
import torch

from udify_allennlp.graph2graph.transitions import NOBODY, States

START, END = -2, -3
"""Placeholders for the special pieces before and after a text, CLS and SEP."""
STACK, BUFFER, DELETED = range(3)


class Sequences(NamedTuple):
    """The encoder's input for several states, one after the other, without gaps."""

    nodes: numpy.ndarray
    """`(n, width)`: nodes, `START` and `END`; `NOBODY` for padding, at the end."""
    segments: numpy.ndarray
    """`(n, width)`: `STACK`, which includes the special pieces, `BUFFER` or `DELETED`."""


def sequences(states: States, sentences: numpy.ndarray, deleted: bool, limit: int) -> Sequences:
    """
    Returns `START, stack from the bottom, END, buffer from the front` for each of the `sentences`,
    and with `deleted`, the words that have their heads, in the order of the sentence: then all
    nodes, in `n + 3` positions at each step. Positions depend only on the sentence.

    Our choice: a sentence that would not fit in `limit` positions gets a third of them for each
    list, those nearest to the next step: the top of the stack, the front of the buffer, and the end
    of the deleted list.
    """
    count = len(sentences)
    whole = numpy.full((count, 1), states.lengths.max() + 1)
    tight = states.lengths[sentences, None] + 3 > limit
    most = numpy.where(tight, (limit - 2) // 3, whole)
    parts = [
        numpy.full((count, 1), START),
        _last(states.stacks(sentences), most),
        numpy.full((count, 1), END),
        _last(states.buffers(sentences)[:, ::-1], most)[:, ::-1],
    ]
    kinds = [STACK, STACK, STACK, BUFFER]
    if deleted:
        parts.append(_last(states.deleted(sentences), most))
        kinds.append(DELETED)
    nodes = numpy.concatenate(parts, 1)
    segments = numpy.repeat(kinds, [part.shape[1] for part in parts])
    order = numpy.argsort(nodes == NOBODY, axis=1, kind="stable")
    order = order[:, : (nodes != NOBODY).sum(1).max()]
    return Sequences(numpy.take_along_axis(nodes, order, 1), segments[order])


def positions_in(segments: torch.Tensor) -> torch.Tensor:
    """
    Returns the position of each element of `Sequences.segments` within its segment, from 0, `(n,
    width)`. Segments are adjacent.
    """
    places = torch.arange(segments.shape[1], device=segments.device).expand_as(segments)
    begins = segments.diff(dim=1, prepend=segments[:, :1]) != 0
    return places - places.masked_fill(~begins, 0).cummax(1).values


def _last(nodes: numpy.ndarray, most: numpy.ndarray) -> numpy.ndarray:
    """Returns the last `most` `(n, 1)` nodes of each row, with `NOBODY` for the others."""
    behind = (nodes != NOBODY)[:, ::-1].cumsum(1)[:, ::-1]
    return numpy.where(behind > most, NOBODY, nodes)
