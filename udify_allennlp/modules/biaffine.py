"""Scores of arcs and of their labels (Dozat and Manning 2017, deep biaffine attention)."""

from typing import Callable, Collection, Dict, Optional, Tuple

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from torch.utils.checkpoint import checkpoint

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.modules.layout import Layout

# Largest intermediate tensor of `LabelBilinear`, in numbers (64 MiB of float32).
CHUNK_SIZE = 2**24
ACTIVATIONS: Dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "elu": F.elu,
    "relu": F.relu,
    "gelu": F.gelu,
    "tanh": torch.tanh,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "linear": lambda x: x,
}
"""By name; the slope of `leaky_relu` is 0.1 (Mohammadshahi 2023, Table 3.7)."""
BIASES = ("head", "dependent", "constant")


class Biaffine(torch.nn.Module):
    """
    Arc scores `s[d, h] = y_h^T U x_d + y_h^T u + x_d^T v + b` (Dozat and Manning 2017, deep
    biaffine attention), of which each term after the first can be left out.
    Our choice: all parameters start at zero, so the first distribution over heads is uniform. The
    first step moves them alone; from the second on, `x` and `y` get gradients too.

    # Parameters

    dependent_dim : `int`
        Width of `x`; at least 1.
    head_dim : `Optional[int]`
        Width of `y`; by default that of `x`.
    biases : `Collection[str]`
        Of `head` (`u`), `dependent` (`v`) and `constant` (`b`). A softmax over heads cancels the
        last two: they matter to losses and searches that compare dependents.

    # Raises

    `ConfigurationError` if a width is below 1 or there is no such bias.
    """

    def __init__(
        self,
        dependent_dim: int,
        head_dim: Optional[int] = None,
        biases: Collection[str] = ("head",),
    ) -> None:
        super().__init__()
        head_dim = dependent_dim if head_dim is None else head_dim
        if min(dependent_dim, head_dim) < 1:
            raise ConfigurationError(
                f"Biaffine: dependent_dim is {dependent_dim} and head_dim is {head_dim}; each must "
                "be at least 1."
            )
        for name in biases:
            if name not in BIASES:
                raise ConfigurationError(
                    f"Biaffine: there is no bias {name!r}. Take some of {', '.join(BIASES)}."
                )
        self.weight = torch.nn.Parameter(torch.zeros(head_dim, dependent_dim))
        self.bias = _zeros(head_dim) if "head" in biases else None
        self.dependent_bias = _zeros(dependent_dim) if "dependent" in biases else None
        self.constant = _zeros(1) if "constant" in biases else None

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """
        Dependents `x` `(batch, n, dependent_dim)` and heads `y` `(batch, m, head_dim)`. Log-scores
        (nats), `(batch, n, m)`.
        """
        scores = F.linear(x, self.weight, self.bias) @ y.transpose(1, 2)
        if self.dependent_bias is not None:
            scores = scores + (x @ self.dependent_bias).unsqueeze(2)
        return scores if self.constant is None else scores + self.constant


class _Projections(torch.nn.Module):
    """One-layer perceptrons that tell a node as a dependent from the same node as a head."""

    def __init__(
        self, input_dim: int, dependent_dim: int, head_dim: int, activation: str, dropout: float
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ConfigurationError(
                f"There is no activation {activation!r}. Take one of {', '.join(ACTIVATIONS)}."
            )
        self.dependent = torch.nn.Linear(input_dim, dependent_dim)
        self.head = torch.nn.Linear(input_dim, head_dim)
        self.activation = ACTIVATIONS[activation]
        self.dropout = FastDropout(dropout)


class DeepBiaffine(_Projections):
    """
    Arc scores of all pairs of nodes: `Biaffine` of `x = act(W_d r + b_d)` and of
    `y = act(W_h r + b_h)`, with dropout on both (Dozat and Manning 2017, section 2.2).

    # Parameters

    input_dim : `int`
        Width of the nodes' vectors `r`.
    dependent_dim : `int`
        Width of `x`.
    head_dim : `Optional[int]`
        Width of `y`; by default that of `x`.
    activation : `str`
        One of `ACTIVATIONS`.
    dropout : `float`
    biases : `Collection[str]`
        See `Biaffine`.

    # Raises

    `ConfigurationError` if there is no such activation, and as `Biaffine` does.
    """

    def __init__(
        self,
        input_dim: int,
        dependent_dim: int,
        head_dim: Optional[int] = None,
        activation: str = "elu",
        dropout: float = 0.33,
        biases: Collection[str] = ("head",),
    ) -> None:
        head_dim = dependent_dim if head_dim is None else head_dim
        biaffine = Biaffine(dependent_dim, head_dim, biases)  # checks the widths
        super().__init__(input_dim, dependent_dim, head_dim, activation, dropout)
        self.biaffine = biaffine

    def forward(self, rows: torch.Tensor, layout: Layout) -> torch.Tensor:
        """
        Log-scores (nats, float32) `(batch, dependent, head)` of the nodes in `rows`, as `layout`
        has them; the lowest finite number where the head is padding or the dependent itself.
        """
        # Dropped after the gathering, so that each sentence has a ROOT of its own.
        x = self.dropout(layout.to_nodes(self.activation(self.dependent(rows))))
        y = self.dropout(layout.to_nodes(self.activation(self.head(rows))))
        scores = self.biaffine(x, y).float()
        possible = layout.mask.unsqueeze(1) & ~torch.eye(
            layout.nodes.shape[1], dtype=torch.bool, device=rows.device
        )
        return scores.masked_fill(~possible, torch.finfo(scores.dtype).min)


class DeepBilinear(_Projections):
    """
    Scores of the labels of arcs: `LabelBilinear` of nodes as dependents and as heads, as
    `DeepBiaffine` has them.

    # Parameters

    input_dim : `int`
    dependent_dim : `int`
    num_labels : `int`
    head_dim : `Optional[int]`
        By default `dependent_dim`.
    activation : `str`
    dropout : `float`

    # Raises

    `ConfigurationError` if there is no such activation, and as `LabelBilinear` does.
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

    def vectors(self, rows: torch.Tensor, num_words: int) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        The words, the last `num_words` of the rows, as dependents `(words, dependent_dim)`, and all
        rows as heads `(rows, head_dim)`; before dropout.
        """
        words = rows[len(rows) - num_words :]
        return self.activation(self.dependent(words)), self.activation(self.head(rows))

    def forward(
        self, vectors: Tuple[torch.Tensor, torch.Tensor], heads: torch.Tensor
    ) -> torch.Tensor:
        """Log-scores `(words, labels)` of each word's label under its head, row `heads[word]`."""
        dependents, nodes = vectors
        return self.bilinear(self.dropout(dependents), self.dropout(nodes.index_select(0, heads)))

    def at_heads(
        self, vectors: Tuple[torch.Tensor, torch.Tensor], heads: torch.Tensor
    ) -> torch.Tensor:
        """The same for parsing: without dropout, and faster; see `LabelBilinear.at_heads`."""
        return self.bilinear.at_heads(*vectors, heads)


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


def _zeros(dim: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.zeros(dim))
