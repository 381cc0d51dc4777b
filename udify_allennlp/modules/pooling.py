"""Pooling of wordpiece vectors to word vectors (UDify, section 3.1)."""

import torch

FIRST, LAST, MEAN, MAXIMUM = "first", "last", "mean", "max"
POOLING = (FIRST, LAST, MEAN, MAXIMUM)


def pool(pieces: torch.Tensor, first_of: torch.Tensor, how: str) -> torch.Tensor:
    """
    Returns word vectors, `(layers, words, dim)`.

    # Parameters

    pieces : `torch.Tensor`
        `(layers, pieces, dim)`, of all wordpieces of all words, one word after the other.
    first_of : `torch.Tensor`
        `(words,)`: the start of each word's pieces; each has at least one.
    how : `str`
        `first`, `last`, or element-wise `mean` or `max`.
    """
    if how == FIRST:
        return pieces.index_select(1, first_of)
    ends = torch.cat([first_of[1:], first_of.new_full((1,), pieces.shape[1])])
    if how == LAST:
        return pieces.index_select(1, ends - 1)
    counts = ends - first_of
    words = torch.arange(len(first_of), device=pieces.device)
    # Known beforehand, so that nothing waits for a GPU to count.
    word_of = words.repeat_interleave(counts, output_size=pieces.shape[1])
    pooled = pieces.new_zeros(pieces.shape[0], len(first_of), pieces.shape[2])
    if how == MEAN:
        return pooled.index_add(1, word_of, pieces) / counts.view(1, -1, 1)
    places = word_of.view(1, -1, 1).expand_as(pieces)
    return pooled.scatter_reduce(1, places, pieces, "amax", include_self=False)
