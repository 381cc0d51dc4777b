"""Scores of arcs and of their labels (Dozat and Manning 2017, deep biaffine attention)."""

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from torch.utils.checkpoint import checkpoint

# Largest intermediate tensor of `LabelBilinear`, in numbers (64 MiB of float32).
CHUNK_SIZE = 2**24


class Biaffine(torch.nn.Module):
    """
    Arc scores `s[d, h] = y_h^T U x_d + y_h^T u` (Dozat and Manning 2017, deep biaffine attention).
    Our choice: `U` and `u` start at zero, so the first distribution over heads is uniform. The
    first step moves `U` and `u` alone; from the second on, `x` and `y` get gradients too.

    # Parameters

    dim : `int`
        Width of `x` and of `y`; at least 1.

    # Raises

    `ConfigurationError` if `dim` is below 1.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        if dim < 1:
            raise ConfigurationError(f"Biaffine: dim is {dim}; it must be at least 1.")
        self.weight = torch.nn.Parameter(torch.zeros(dim, dim))
        self.bias = torch.nn.Parameter(torch.zeros(dim))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Dependents `x` and heads `y`: `(batch, n, dim)`. Log-scores (nats), `(batch, n, n)`."""
        # Bias on heads alone: a bias on dependents would cancel in the softmax over heads.
        return F.linear(x, self.weight, self.bias) @ y.transpose(1, 2)


class LabelBilinear(torch.nn.Module):
    """
    Scores of the labels of one arc per word, `s[l] = x^T U_l y + v_l^T x + w_l^T y + b_l`, with
    `x` the dependent and `y` its chosen head (Dozat and Manning 2017, equation 3).
    Our choice: all parameters start at zero, so the first distribution over labels is uniform.

    One matrix product for all labels: the backward pass of `torch.nn.Bilinear` took 35 times as
    long on a CPU (torch 2.13, 800 words, width 256, 40 labels). The product's result,
    `words * num_labels * dim_head` numbers, is kept for the backward pass while it is small. Else
    it is made a chunk at a time and again in the backward pass, so that memory for it does not grow
    with the number of words.

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
                f"num_labels is {num_labels}; each must be at least 1."
            )
        self.weight = torch.nn.Parameter(torch.zeros(dim_dependent, num_labels, dim_head))
        self.dependent_weight = torch.nn.Parameter(torch.zeros(num_labels, dim_dependent))
        self.head_weight = torch.nn.Parameter(torch.zeros(num_labels, dim_head))
        self.bias = torch.nn.Parameter(torch.zeros(num_labels))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """
        Dependents `x`, `(batch, n, dim_dependent)`, and the head of each, `y`,
        `(batch, n, dim_head)`; any number of leading dimensions will do. Log-scores (nats),
        `(batch, n, num_labels)`.
        """
        _, num_labels, dim_head = self.weight.shape
        chunk = max(1, CHUNK_SIZE // (num_labels * dim_head))
        words, heads = x.flatten(0, -2), y.flatten(0, -2)
        if len(words) <= chunk:
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

    def at_heads(self, x: torch.Tensor, y: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """
        `forward(x, y[heads])` for parsing: dependents `x` `(words, dim_dependent)`, nodes `y`
        `(nodes, dim_head)`, and the row of each dependent's head in `y`, `heads` `(words,)`.

        A head is multiplied once for all its dependents: of the words of a tree about four in ten
        have any, so it takes half the time.
        """
        dim_dependent, num_labels, dim_head = self.weight.shape
        chunk = max(1, CHUNK_SIZE // (num_labels * dim_dependent))
        scores = F.linear(x, self.dependent_weight, self.bias)
        scores = scores + F.linear(y, self.head_weight)[heads]
        for start in range(0, len(x), chunk):
            rows = slice(start, start + chunk)
            chosen, places = heads[rows].unique(return_inverse=True)
            products = F.linear(y[chosen], self.weight.flatten(0, 1))
            products = products.view(-1, dim_dependent, num_labels)[places]
            scores[rows] += torch.bmm(x[rows].unsqueeze(1), products).squeeze(1)
        return scores

    def _bilinear(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Words `(words, dim_dependent)` and heads `(words, dim_head)`: `(words, num_labels)`."""
        products = (x @ self.weight.flatten(1)).view(len(x), *self.weight.shape[1:])
        return torch.bmm(products, y.unsqueeze(2)).squeeze(2)
