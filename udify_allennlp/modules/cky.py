"""The best binary tree over spans, exactly (Cocke, Kasami, Younger), for all sentences at once."""

from collections.abc import Sequence

import torch


def best_binary_trees(scores: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
    """
    Returns for each sentence the binary tree whose spans have the highest sum of scores, in
    `O(n^3)`. All sentences, and all spans of a width, are searched together. Padding has no effect.

    # Parameters

    scores : `torch.Tensor`
        `(batch, n + 1, n + 1)`: `scores[b, i, j]` is for the span between the fences `i < j`, words
        `i + 1 .. j`; other cells are not read. For trees that need not be binary, the score of a
        span that is not a phrase is a constant, such as 0.
    lengths : `Sequence[int]`
        Words of each sentence, from 1 to `n`.

    # Returns

    Booleans like `scores`: the `2 w - 1` spans of the tree of a sentence of `w` words. Among
    equally good trees, the one whose left parts are shorter, from the top down.
    """
    with torch.no_grad():
        splits = _widths_of_left_parts(scores)
    # Each step down depends on the one above: a GPU would be waited for at each.
    splits = splits.cpu()
    inside = torch.zeros(scores.shape, dtype=torch.bool)
    inside[range(len(lengths)), 0, list(lengths)] = True
    for width in range(max(lengths), 1, -1):
        sentence, left = inside.diagonal(width, 1, 2).nonzero(as_tuple=True)
        middle = left + splits[sentence, left, width]
        inside[sentence, left, middle] = True
        inside[sentence, middle, left + width] = True
    return inside.to(scores.device)


def _widths_of_left_parts(scores: torch.Tensor) -> torch.Tensor:
    """Returns the split points of spans, `(batch, n + 1, n + 1)`, by their left fence and width."""
    n = scores.shape[1] - 1
    # The best sum of each span, by the fence where it begins and its width, and by that where it
    # ends and its width: all ways to divide a span then lie side by side.
    begins, ends = torch.zeros_like(scores), torch.zeros_like(scores)
    splits = torch.zeros(scores.shape, dtype=torch.long, device=scores.device)
    begins[:, :n, 1] = ends[:, 1:, 1] = scores.diagonal(1, 1, 2)
    for width in range(2, n + 1):
        left = begins[:, : n + 1 - width, 1:width]
        right = ends[:, width:, 1:width].flip(2)
        best, place = (left + right).max(2)
        best = best + scores.diagonal(width, 1, 2)
        begins[:, : n + 1 - width, width] = best
        ends[:, width:, width] = best
        splits[:, : n + 1 - width, width] = place + 1
    return splits
