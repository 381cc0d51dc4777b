"""
Scores of predicates, of spans, and of the roles that spans have for predicates (Mohammadshahi 2023,
Equations 4.4 to 4.7; after Zhou et al. 2020).
"""

from typing import NamedTuple

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.modules.spans import Spans, fence_vectors

_AT_ONCE = 1 << 16
"""Number of spans that are scored at a time."""


class Pairs(NamedTuple):
    """
    The predicate and the span of each pair, `(pairs,)` each: within a sentence, all combinations.
    """

    predicate: torch.Tensor
    span: torch.Tensor

    @classmethod
    def of(
        cls, sentence_of_predicate: torch.Tensor, sentence_of_span: torch.Tensor, batch: int
    ) -> "Pairs":
        """
        Returns pairs from predicates and spans in the order of the sentences, `batch` in number.
        """
        counts = sentence_of_span.bincount(minlength=batch)
        starts = counts.cumsum(0) - counts
        spans_of = counts[sentence_of_predicate]
        predicate = torch.arange(len(spans_of), device=spans_of.device).repeat_interleave(spans_of)
        return cls(
            predicate, starts[sentence_of_predicate][predicate] + _within(predicate, spans_of)
        )


class SpanRoles(torch.nn.Module):
    """
    `Phi(v, a, l) = Phi_v(v) + Phi_a(a) + Phi_l(v, a, l)` for predicate `v`, span `a` and label `l`;
    for no role it is 0 for any pair: if the first two were added to it as well, they would cancel
    and learn nothing.

    - Eq 4.4: `s_ij = sr_j - sl_i`, `sr_j = [b_{j+1}; f_j]`, `sl_i = [f_i; b_{i+1}]`, where `f` and
      `b` are the halves of a vector `z`. In `sr` they are in the opposite order, as printed and as
      in the released code of Zhou et al.; `swap_halves` false puts them in the same order.
    - Eq 4.5: `a_ij = ReLU(W1 s_ij + b1)`, `v_k = z_k`.
    - Eq 4.6: `Phi_l = W3 g(LN(W2 [a_ij; v_k] + b2)) + b3`. Departure: `g` is ReLU, as in that code.
      Without it, as printed, a span and a predicate hardly interact: everything except the norm is
      a sum of their separate contributions.

    `Phi_v` and `Phi_a` are feed-forward networks with one hidden layer, norm and ReLU (as in that
    code).

    # Parameters

    dim : `int`
        Width of the vectors, an even number.
    labels : `int`
        Number of roles.
    span_dim, label_dim, unary_dim : `int`
        Widths of hidden layers (Table 4.4: 512 and 250; the third, 256, is that code's).
    dropout : `float`
        Dropout rate on the vectors and on hidden layers; the thesis does not specify one.
    swap_halves, label_relu : `bool`
        See above.

    # Raises

    `ConfigurationError` if a width is below 1, or `dim` is odd.
    """

    def __init__(
        self,
        dim: int,
        labels: int,
        span_dim: int = 512,
        label_dim: int = 250,
        unary_dim: int = 256,
        dropout: float = 0.3,
        swap_halves: bool = True,
        label_relu: bool = True,
    ) -> None:
        super().__init__()
        if min(dim, labels, span_dim, label_dim, unary_dim) < 1 or dim % 2:
            raise ConfigurationError(
                f"SpanRoles: the widths are {dim}, {span_dim}, {label_dim}, {unary_dim}, and there "
                f"are {labels} labels. All must be at least 1, and the first width even."
            )
        self._swap = swap_halves
        self._relu = label_relu
        self.dropout = FastDropout(dropout)
        self.span = torch.nn.Linear(dim, span_dim)
        self.predicate = _unary(dim, unary_dim, dropout)
        self.argument = _unary(span_dim, unary_dim, dropout)
        self.label_of_span = torch.nn.Linear(span_dim, label_dim)
        self.label_of_predicate = torch.nn.Linear(dim, label_dim, bias=False)
        self.norm = torch.nn.LayerNorm(label_dim)
        self.label = torch.nn.Linear(label_dim, labels)

    def ends(self, nodes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns `W1 sl` and `W1 sr` of all fences, `(batch, n + 1, span_dim)` each, given the
        vectors of ROOT, the words, and the end: `nodes` `(batch, n + 2, dim)`.
        """
        left = fence_vectors(self.dropout(nodes))
        right = torch.cat(left.chunk(2, 2)[::-1], 2) if self._swap else left
        weight = self.span.weight
        return left @ weight.T, right @ weight.T

    def spans(self, ends: tuple[torch.Tensor, torch.Tensor], spans: Spans) -> torch.Tensor:
        """Returns `a_ij`, `(spans, span_dim)`."""
        left, right = ends
        difference = right[spans.sentence, spans.right] - left[spans.sentence, spans.left]
        return torch.relu(difference + self.span.bias)

    def span_scores(self, ends: tuple[torch.Tensor, torch.Tensor], spans: Spans) -> torch.Tensor:
        """Returns `Phi_a`, `(spans,)`, in constant memory if nothing is learned."""
        parts = torch.arange(len(spans.left), device=ends[0].device).split(_AT_ONCE)
        scores = [self.argument(self.spans(ends, spans.at(part))).squeeze(1) for part in parts]
        return torch.cat(scores) if scores else ends[0].new_zeros(0)

    def predicate_scores(self, predicates: torch.Tensor) -> torch.Tensor:
        """Returns `Phi_v` of `z` `(predicates, dim)`."""
        scores: torch.Tensor = self.predicate(self.dropout(predicates)).squeeze(1)
        return scores

    def label_scores(
        self, predicates: torch.Tensor, spans: torch.Tensor, pairs: Pairs
    ) -> torch.Tensor:
        """
        Returns `Phi_l`, `(pairs, labels)`, for `z` `(predicates, dim)` and `a` `(spans, span_dim)`.
        """
        of_span = self.label_of_span(self.dropout(spans))
        of_predicate = self.label_of_predicate(self.dropout(predicates))
        hidden = self.norm(of_span[pairs.span] + of_predicate[pairs.predicate])
        hidden = torch.relu(hidden) if self._relu else hidden
        scores: torch.Tensor = self.label(self.dropout(hidden))
        return scores


def keep_best(scores: torch.Tensor, sentence: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """
    Returns the positions, in order, of the `keep[s]` best of each sentence `s`: `scores` and
    `sentence` `(n,)`, `keep` `(batch,)`. The choice has no gradient.
    """
    order = scores.detach().argsort(descending=True, stable=True)
    order = order[sentence[order].argsort(stable=True)]
    sentence_of = sentence[order]
    rank = _within(sentence_of, sentence.bincount(minlength=len(keep)))
    chosen: torch.Tensor = order[rank < keep[sentence_of]]
    return chosen.sort().values


def kept(whole: torch.Tensor, share: float, most: int) -> torch.Tensor:
    """
    Returns the number of candidates that pruning keeps for each sentence: a share of the `whole`, 1
    at least.
    """
    return (whole * share).floor().long().clamp(1, most)


def _within(groups: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """
    Returns for rising `groups` `(n,)`, with these counts, the number of elements of the same group
    before each.
    """
    return torch.arange(len(groups), device=groups.device) - (counts.cumsum(0) - counts)[groups]


def _unary(dim: int, hidden: int, dropout: float) -> torch.nn.Module:
    return torch.nn.Sequential(
        torch.nn.Linear(dim, hidden),
        torch.nn.LayerNorm(hidden),
        torch.nn.ReLU(),
        FastDropout(dropout),
        torch.nn.Linear(hidden, 1),
    )
