"""Scores of the labels of arcs (Dozat and Manning 2017, equation 3)."""

from typing import Optional

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from torch.utils.checkpoint import checkpoint

from udify_allennlp.kernels import products
from udify_allennlp.kernels.memory import at_once
from udify_allennlp.modules.biaffine import Projections

# Largest intermediate tensor of `LabelBilinear` on a CPU, in numbers (64 MiB of float32).
CHUNK_SIZE = 2**24


class LabelBilinear(torch.nn.Module):
    """
    Scores of the labels of one arc per word, `s[l] = x^T U_l y + v_l^T x + w_l^T y + b_l`, with
    `x` the dependent and `y` its chosen head (Dozat and Manning 2017, equation 3).
    Our choice: all parameters start at zero, so the first distribution over labels is uniform.

    One matrix product for all labels: the backward pass of `torch.nn.Bilinear` took 35 times as
    long on a CPU (torch 2.13, 800 words, width 256, 40 labels). The product's result, `words *
    num_labels * dim_head` numbers, is kept for the backward pass if it is small. Otherwise it is
    computed in chunks and again in the backward pass, so that memory for it does not grow with the
    number of words.

    # Parameters

    dim_dependent : `int`
        Width of `x`; at least 1.
    dim_head : `int`
        Width of `y`; at least 1.
    num_labels : `int`
        At least 1.

    # Raises

    `ConfigurationError` if a parameter is below 1.
    """

    def __init__(self, dim_dependent: int, dim_head: int, num_labels: int) -> None:
        super().__init__()
        if min(dim_dependent, dim_head, num_labels) < 1:
            raise ConfigurationError(
                f"LabelBilinear: dim_dependent is {dim_dependent}, dim_head is {dim_head}, "
                f"num_labels is {num_labels}. Each must be at least 1."
            )
        self.weight = torch.nn.Parameter(torch.zeros(dim_dependent, num_labels, dim_head))
        self.dependent_weight = torch.nn.Parameter(torch.zeros(num_labels, dim_dependent))
        self.head_weight = torch.nn.Parameter(torch.zeros(num_labels, dim_head))
        self.bias = torch.nn.Parameter(torch.zeros(num_labels))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """
        Returns log-scores (nats), `(batch, n, num_labels)`, of dependents `x`, `(batch, n,
        dim_dependent)`, and the head of each, `y`, `(batch, n, dim_head)`, with any number of
        leading dimensions.
        """
        _, num_labels, dim_head = self.weight.shape
        chunk = max(1, at_once(CHUNK_SIZE, x.device) // (num_labels * dim_head))
        words, heads = x.flatten(0, -2), y.flatten(0, -2)
        if words.shape[0] <= chunk:
            bilinear = self._bilinear(words, heads)
        else:
            pairs = zip(words.split(chunk), heads.split(chunk), strict=True)
            bilinear = torch.cat(
                [
                    checkpoint(self._bilinear, *pair, use_reentrant=False, preserve_rng_state=False)
                    for pair in pairs
                ]
            )
        linear = F.linear(x, self.dependent_weight, self.bias) + F.linear(y, self.head_weight)
        return bilinear.view_as(linear) + linear

    def at_heads(
        self,
        x: torch.Tensor,
        y: torch.Tensor,
        heads: torch.Tensor,
        labels: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        Returns `forward(x, y[heads])` for parsing: dependents `x` `(words, dim_dependent)`, nodes
        `y` `(nodes, dim_head)`, and the row of each dependent's head in `y`, `heads` `(words,)`;
        with the numbers of some `labels` `(k,)`, only their scores, `(words, k)`.

        A head is multiplied once for all its dependents: about four in ten words of a tree have
        any, so it takes half the time.
        """
        weight: torch.Tensor = self.weight
        by_label: list[torch.Tensor] = [self.bias, self.dependent_weight, self.head_weight]
        if labels is not None:
            weight = weight.index_select(1, labels)
            by_label = [each.index_select(0, labels) for each in by_label]
        bias, dependent_weight, head_weight = by_label
        dim_dependent, num_labels, _ = weight.shape
        chunk = max(1, at_once(CHUNK_SIZE, x.device) // (num_labels * dim_dependent))
        scores = products.linear(x, dependent_weight, bias)
        scores = scores + products.linear(y, head_weight)[heads]
        for start in range(0, len(x), chunk):
            rows = slice(start, start + chunk)
            scores[rows] += _at_heads(weight, x[rows], y, heads[rows])
        return scores

    def _bilinear(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """
        Maps words `(words, dim_dependent)` and heads `(words, dim_head)` to `(words, num_labels)`.
        """
        products = (x @ self.weight.flatten(1)).view(len(x), *self.weight.shape[1:])
        return torch.bmm(products, y.unsqueeze(2)).squeeze(2)


def _at_heads(
    weight: torch.Tensor, x: torch.Tensor, y: torch.Tensor, heads: torch.Tensor
) -> torch.Tensor:
    """
    Returns the scores of `LabelBilinear.at_heads` without the terms that depend only on words or
    heads.
    """
    dim_dependent, num_labels, _ = weight.shape
    chosen, places, counts = heads.unique(return_inverse=True, return_counts=True)
    # Heads with as many dependents stand together, and so do the dependents of each: what is
    # made of a head is read where it lies, and not copied for each of its dependents.
    counts, order = counts.sort(stable=True)
    words = order.argsort()[places].argsort(stable=True)
    of_heads = products.linear(y[chosen[order]], weight.flatten(0, 1))
    of_heads = of_heads.view(-1, dim_dependent, num_labels)
    sizes, numbers = (part.tolist() for part in counts.unique_consecutive(return_counts=True))
    dependents = x[words].split([size * number for size, number in zip(sizes, numbers)])
    products_by_head = torch.cat(
        [
            torch.bmm(some.view(number, -1, dim_dependent), head_products).flatten(0, 1)
            for some, number, head_products in zip(dependents, numbers, of_heads.split(numbers))
        ]
    )
    return torch.empty_like(products_by_head).index_copy_(0, words, products_by_head)


class DeepBilinear(Projections):
    """
    Scores of the labels of arcs: `LabelBilinear` of nodes as dependents and as heads, as in
    `DeepBiaffine`.

    # Parameters

    input_dim : `int`
    dependent_dim : `int`
    num_labels : `int`
    head_dim : `Optional[int]`
        By default `dependent_dim`.
    activation : `str`
    dropout : `float`

    # Raises

    `ConfigurationError` for an unknown activation, and the errors of `LabelBilinear`.
    """

    def __init__(
        self,
        input_dim: int,
        dependent_dim: int,
        num_labels: int,
        head_dim: Optional[int] = None,
        activation: str = "elu",
        dropout: float = 0.33,
    ) -> None:
        head_dim = dependent_dim if head_dim is None else head_dim
        bilinear = LabelBilinear(dependent_dim, head_dim, num_labels)  # checks the widths
        super().__init__(input_dim, dependent_dim, head_dim, activation, dropout)
        self.bilinear = bilinear

    def vectors(self, rows: torch.Tensor, num_words: int) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns the words, the last `num_words` of the rows, as dependents `(words, dependent_dim)`,
        and all rows as heads `(rows, head_dim)`; before dropout.
        """
        words = rows[rows.shape[0] - num_words :]
        return self.activation(self.dependent(words)), self.activation(self.head(rows))

    def forward(
        self, vectors: tuple[torch.Tensor, torch.Tensor], heads: torch.Tensor
    ) -> torch.Tensor:
        """
        Returns log-scores `(words, labels)` of each word's label with its head, row `heads[word]`.
        """
        dependents, nodes = vectors
        return self.bilinear(self.dropout(dependents), self.dropout(nodes.index_select(0, heads)))

    def at_heads(
        self,
        vectors: tuple[torch.Tensor, torch.Tensor],
        heads: torch.Tensor,
        labels: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        Returns the same for parsing: without dropout, faster, and if wanted only for some `labels`;
        see `LabelBilinear.at_heads`.
        """
        return self.bilinear.at_heads(*vectors, heads, labels)
