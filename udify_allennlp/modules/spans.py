"""
Spans of words, between fences: a span is scored by the difference of the vectors of its two fences.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import torch

from udify_allennlp.modules.layout import Layout

_LONG = 100
"""Maximum length of sentences, in words, whose spans are cached, at most 9 MB."""


class Spans(NamedTuple):
    """
    Spans of the sentences of a batch, `(spans,)` each, sentence by sentence. Fence `i` is after
    word `i` of 1..n: a span of words `i + 1 .. j` is between the fences `i < j`. The word `i`
    itself, an argument of dependency style, is the empty span at fence `i`.
    """

    sentence: torch.Tensor
    left: torch.Tensor
    right: torch.Tensor

    def at(self, chosen: torch.Tensor) -> "Spans":
        """Returns some of the spans."""
        return Spans(*(each[chosen] for each in self))

    @classmethod
    def of(cls, lengths: Sequence[int], spans: bool, words: bool, device: torch.device) -> "Spans":
        """
        Returns all spans of sentences of these lengths: spans of words, single words, or both.
        """
        # Lengths come again and again; long sentences are rare, and would take much memory.
        own = [
            (_fences if length > _LONG else _known_fences)(length, spans, words)
            for length in lengths
        ]
        sizes = torch.tensor([each.shape[1] for each in own])
        sentence = torch.arange(len(own)).repeat_interleave(sizes)
        left, right = torch.cat(own, 1)
        return cls(*(each.to(device) for each in (sentence, left, right)))


def framed(
    words: torch.Tensor, layout: Layout, before: torch.Tensor, behind: torch.Tensor
) -> torch.Tensor:
    """
    Returns the sentences of a batch with a vector before their first word and one after their last
    word, `(batch, n + 2, dim)`; padding is 0.

    # Parameters

    words : `torch.Tensor`
        `(words, dim)`.
    layout : `Layout`
    before : `torch.Tensor`
        `(dim,)`, or `(batch, dim)`, a vector for each sentence.
    behind : `torch.Tensor`
        `(dim,)`.
    """
    batch, columns = layout.nodes.shape
    nodes = words.new_zeros(batch, columns + 1, words.shape[1])
    nodes[:, 0] = before.to(words.dtype)
    nodes = nodes.index_put((layout.sentence_of, layout.places % columns), words)
    rows = torch.arange(batch, device=words.device)
    nodes[rows, layout.mask.sum(1)] = behind.to(words.dtype)
    return nodes


def fence_vectors(nodes: torch.Tensor) -> torch.Tensor:
    """
    Returns the vectors of all fences, `(batch, n + 1, dim)`, from those of `framed`, `(batch, n +
    2, dim)`: the first half `f` of the vector before a fence and the second half `b` of the vector
    after it. The difference of two, `[f_j - f_i; b_{j+1} - b_{i+1}]`, represents a span (Kitaev and
    Klein 2018, section 2; Stern et al. 2017).
    """
    forward, backward = nodes.chunk(2, 2)
    return torch.cat([forward[:, :-1], backward[:, 1:]], 2)


def _fences(length: int, spans: bool, words: bool) -> torch.Tensor:
    """Returns left and right fences, `(2, spans)`."""
    found = [torch.triu_indices(length + 1, length + 1, 1)] if spans else []
    if words:
        found.append(torch.arange(1, length + 1).repeat(2, 1))
    return torch.cat(found, 1)


_known_fences = lru_cache(maxsize=None)(_fences)
