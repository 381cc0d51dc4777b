"""Scores of arcs (Dozat and Manning 2017, deep biaffine attention)."""

from collections.abc import Callable, Collection
from typing import Optional

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.kernels.products import linear
from udify_allennlp.modules.layout import Layout

ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "elu": F.elu,
    "relu": F.relu,
    "gelu": F.gelu,
    "tanh": torch.tanh,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "linear": lambda x: x,
}
"""Activations by name; the slope of `leaky_relu` is 0.1 (Mohammadshahi 2023, Table 3.7)."""
BIASES = ("head", "dependent", "constant")


def activation_of(name: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """Returns one of `ACTIVATIONS`. Raises `ConfigurationError` for an unknown name."""
    if name not in ACTIVATIONS:
        raise ConfigurationError(
            f"Unknown activation {name!r}. Use one of {', '.join(ACTIVATIONS)}."
        )
    return ACTIVATIONS[name]


class Biaffine(torch.nn.Module):
    """
    Arc scores `s[d, h] = y_h^T U x_d + y_h^T u + x_d^T v + b` (Dozat and Manning 2017, deep
    biaffine attention), of which each term after the first can be left out. Our choice: all
    parameters start at zero, so the first distribution over heads is uniform. The first step
    changes only them; from the second on, `x` and `y` get gradients too.

    # Parameters

    dependent_dim : `int`
        Width of `x`; at least 1.
    head_dim : `Optional[int]`
        Width of `y`; by default that of `x`.
    biases : `Collection[str]`
        Biases among `head` (`u`), `dependent` (`v`) and `constant` (`b`). A softmax over heads
        cancels the last two: they matter for losses and searches that compare dependents.

    # Raises

    `ConfigurationError` if a width is below 1 or a bias is unknown.
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
                f"Biaffine: dependent_dim is {dependent_dim} and head_dim is {head_dim}. Each must "
                "be at least 1."
            )
        for name in biases:
            if name not in BIASES:
                raise ConfigurationError(
                    f"Biaffine: unknown bias {name!r}. Use some of {', '.join(BIASES)}."
                )
        self.weight = torch.nn.Parameter(torch.zeros(head_dim, dependent_dim))
        self.bias = _zeros(head_dim) if "head" in biases else None
        self.dependent_bias = _zeros(dependent_dim) if "dependent" in biases else None
        self.constant = _zeros(1) if "constant" in biases else None

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """
        Returns log-scores (nats), `(batch, n, m)`, of dependents `x` `(batch, n, dependent_dim)`
        and heads `y` `(batch, m, head_dim)`.
        """
        scores = linear(x, self.weight, self.bias) @ y.transpose(1, 2)
        if self.dependent_bias is not None:
            scores = scores + (x @ self.dependent_bias).unsqueeze(2)
        return scores if self.constant is None else scores + self.constant


class Projections(torch.nn.Module):
    """One-layer perceptrons that represent a node differently as a dependent and as a head."""

    def __init__(
        self, input_dim: int, dependent_dim: int, head_dim: int, activation: str, dropout: float
    ) -> None:
        super().__init__()
        self.activation = activation_of(activation)
        self.dependent = torch.nn.Linear(input_dim, dependent_dim)
        self.head = torch.nn.Linear(input_dim, head_dim)
        self.dropout = FastDropout(dropout)


class DeepBiaffine(Projections):
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
    own_arc : `bool`
        True if a node is among its own possible heads.

    # Raises

    `ConfigurationError` for an unknown activation, and the errors of `Biaffine`.
    """

    def __init__(
        self,
        input_dim: int,
        dependent_dim: int,
        head_dim: Optional[int] = None,
        activation: str = "elu",
        dropout: float = 0.33,
        biases: Collection[str] = ("head",),
        own_arc: bool = False,
    ) -> None:
        head_dim = dependent_dim if head_dim is None else head_dim
        biaffine = Biaffine(dependent_dim, head_dim, biases)  # checks the widths
        super().__init__(input_dim, dependent_dim, head_dim, activation, dropout)
        self.biaffine = biaffine
        self.own_arc = own_arc

    def forward(self, rows: torch.Tensor, layout: Layout) -> torch.Tensor:
        """
        Returns log-scores (nats, float32) `(batch, dependent, head)` of the nodes in `rows`, in the
        `layout`; the lowest finite number where the head is padding or, without `own_arc`, the
        dependent itself.
        """
        # Dropped after the gathering, so that each sentence has a ROOT of its own.
        x = self.dropout(layout.to_nodes(self.activation(self.dependent(rows))))
        y = self.dropout(layout.to_nodes(self.activation(self.head(rows))))
        scores = self.biaffine(x, y).float()
        possible = layout.mask.unsqueeze(1)
        if not self.own_arc:
            possible = possible & ~torch.eye(
                layout.nodes.shape[1], dtype=torch.bool, device=rows.device
            )
        return scores.masked_fill(~possible, torch.finfo(scores.dtype).min)


def _zeros(dim: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.zeros(dim))
