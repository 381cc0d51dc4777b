"""Beam search for the most probable tree of a top-down pointer network."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

Tensors = tuple[torch.Tensor, ...]


class Found(NamedTuple):
    """The best hypothesis of each sentence."""

    heads: torch.Tensor
    """`(batch, n + 1)`: the head of each word; 0 for ROOT and padding."""
    labels: torch.Tensor
    """`(batch, n + 1)`: the label of each word."""
    scores: torch.Tensor
    """`(batch,)`: the sum of the log-scores of its steps; -inf if there is no tree."""


def search(
    advance: Callable[[Any, torch.Tensor, torch.Tensor], tuple[torch.Tensor, Tensors]],
    label: Callable[[Any, torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    state: Tensors,
    mask: torch.Tensor,
    beam_size: int = 5,
    ordered: bool = True,
) -> Found:
    """
    Returns the best trees with one child of ROOT. The stack begins with ROOT; a step gives its top
    a child, which is pushed, or pops it. Hypotheses are chosen by the score of the step; the score
    of the label is added to the chosen ones (the released code of Ahmad et al. 2019).

    Departure: ROOT has one child, as UD requires, so this child is popped only when all words are
    in the tree. The best hypothesis is the one with the highest total; the released code takes the
    first by its arcs, before the score of the last label is added.

    # Parameters

    advance : `Callable`
        A function from a state, the tops of the stacks and the nodes above them, `(batch, k)` each,
        to the log-scores of pointing to each node, `(batch, k, n + 1)`, and the next state.
    label : `Callable`
        A function from that state, the tops and the nodes that they point to (themselves if they
        are popped), to the log-score of the best label and its number, `(batch, k)` each.
    state : `Tuple[torch.Tensor, ...]`
        The state before the first step: `(batch, 1, ...)` each.
    mask : `torch.Tensor`
        `(batch, n + 1)`, True on ROOT and on words.
    beam_size : `int`
        Number of hypotheses per sentence; at least 1.
    ordered : `bool`
        True if the children of a head are attached from left to right. A beam may then find no
        tree; otherwise it always does.
    """
    batch, nodes = mask.shape
    device = mask.device
    lengths = mask.sum(1, keepdim=True) - 1
    numbers = torch.arange(nodes, device=device)
    hypotheses = torch.arange(beam_size, device=device)
    shape = (batch, beam_size, nodes)
    state = tuple(part.expand(batch, beam_size, *part.shape[2:]) for part in state)
    stack = torch.zeros(shape, dtype=torch.long, device=device)
    depth = stack[:, :, 0].clone()  # of the top
    heads, labels, last = stack.clone(), stack.clone(), stack.clone()  # last: child of each node
    attached = (~mask | (numbers == 0)).unsqueeze(1).repeat(1, beam_size, 1)
    scores = torch.full(shape[:2], -torch.inf, device=device)
    scores[:, 0] = 0
    for step in range(2 * nodes - 1):
        running = step < 2 * lengths + 1  # (batch, 1)
        tops, above = at(stack, depth), at(stack, (depth - 1).clamp(min=0))
        arcs, state = advance(state, tops, above)

        before = at(last, tops)
        allowed = ~attached & ((depth > 0) | (before == 0)).unsqueeze(2)
        if ordered:
            allowed &= numbers > before.unsqueeze(2)
        may_pop = attached.all(2) | (depth > 1)
        allowed.scatter_(2, tops.unsqueeze(2), may_pop.unsqueeze(2))
        totals = (scores.unsqueeze(2) + arcs).masked_fill(~allowed, -torch.inf)
        best, places = totals.flatten(1).topk(beam_size)

        parents = torch.where(running, places // nodes, hypotheses)
        children = torch.where(running, places % nodes, at(stack, depth))
        scores = torch.where(running, best, scores)
        state = tuple(_rows(part, parents) for part in state)
        stack, heads, labels, last, attached = (
            _rows(part, parents) for part in (stack, heads, labels, last, attached)
        )
        depth, tops = depth.gather(1, parents), tops.gather(1, parents)
        pushed = (children != tops) & running
        label_scores, chosen = label(state, tops, children)
        scores = scores + label_scores.masked_fill(~running, 0)

        _put(heads, children, tops, pushed)
        _put(labels, children, chosen, pushed)
        _put(last, tops, children, pushed)
        _put(attached, children, pushed, pushed)
        depth = torch.where(pushed, depth + 1, depth - running.long())
        depth = depth.clamp(0, nodes - 1)  # beyond are only hypotheses at -inf
        _put(stack, depth, children, pushed)
    best, winner = scores.max(1)
    rows = torch.arange(batch, device=device)
    return Found(heads[rows, winner], labels[rows, winner], best)


def at(values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Returns the values `(batch, k, n)` at `places` `(batch, k)`: `(batch, k)`."""
    return values.gather(2, places.unsqueeze(2)).squeeze(2)


def _rows(values: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Returns from values `(batch, k, ...)` the rows `(batch, k)`."""
    index = rows.view(*rows.shape, *[1] * (values.dim() - 2)).expand(-1, -1, *values.shape[2:])
    return values.gather(1, index)


def _put(
    values: torch.Tensor, places: torch.Tensor, new: torch.Tensor, where: torch.Tensor
) -> None:
    """
    Sets values `(batch, k, n)` at `places` `(batch, k)` to `new` `(batch, k)`, where `where` is
    true.
    """
    kept = torch.where(where, new, at(values, places))
    values.scatter_(2, places.unsqueeze(2), kept.unsqueeze(2))
