"""Scores of the labels of spans."""

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.spans import Spans, fence_vectors


class SpanLabels(torch.nn.Module):
    """
    `s(i, j, .) = M2 ReLU(LayerNorm(M1 v + c1)) + c2`, `v = [f_j - f_i; b_{j+1} - b_{i+1}]`, where
    `f` and `b` are the halves of the vectors of words (Kitaev and Klein 2018, section 2, span
    scores). "No phrase" is a label, too, whose score is always 0: only differences count.

    # Parameters

    dim : `int`
        Width of the vectors.
    labels : `int`
        Number of labels.
    hidden_dim : `int`
        Width of the hidden layer (250 in the paper).

    # Raises

    `ConfigurationError` if a width is below 1, or `dim` below 2.
    """

    def __init__(self, dim: int, labels: int, hidden_dim: int = 250) -> None:
        super().__init__()
        if min(dim - 1, labels, hidden_dim) < 1:
            raise ConfigurationError(
                f"SpanLabels: the width is {dim}, hidden_dim {hidden_dim}, and there are {labels} "
                "labels. The width must be at least 2, the others at least 1."
            )
        self.span = torch.nn.Linear(dim, hidden_dim)
        self.norm = torch.nn.LayerNorm(hidden_dim)
        self.label = torch.nn.Linear(hidden_dim, labels)

    def fences(self, nodes: torch.Tensor) -> torch.Tensor:
        """
        Returns `M1` times the vectors of all fences, `(batch, n + 1, hidden_dim)`; `nodes` are
        those of `framed`.
        """
        # The map of a difference is the difference of two maps: n + 1 products, not n^2.
        return fence_vectors(nodes) @ self.span.weight.T

    def forward(self, fences: torch.Tensor, spans: Spans) -> torch.Tensor:
        """Returns the scores of all labels, `(spans, labels)`, in float32 at least."""
        vectors = fences[spans.sentence, spans.right] - fences[spans.sentence, spans.left]
        hidden = torch.relu(self.norm(vectors + self.span.bias))
        scores: torch.Tensor = self.label(hidden)
        # Sums of scores are compared: in 16 bits, many trees would be equally good.
        return scores.to(torch.promote_types(scores.dtype, torch.float32))
