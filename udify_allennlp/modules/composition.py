"""Vectors of partial trees (Mohammadshahi 2023, section 2.9)."""

from typing import NamedTuple

import torch
from allennlp.common.checks import ConfigurationError

NULL = 0
"""Number of the label of a node without a dependent."""


class Composed(NamedTuple):
    """The vectors of nodes after the arcs made so far."""

    nodes: torch.Tensor
    """`C`, `(batch, n, dim)`."""
    dependents: torch.Tensor
    """`omega`, `(batch, n, dim)`: the latest dependent of each node, in its state at that time."""
    labels: torch.Tensor
    """`l`, `(batch, n)`: the label of that arc; `NULL` if there is none."""


class Composition(torch.nn.Module):
    """
    `C^{t+1} = Comp([psi^t; omega^t; l^t]) + psi^t` (Equation 2.11): after each step every node, not
    only those with new dependents, is combined with its latest dependent (footnote 13). In Equation
    2.12 each step shifts stacks and buffers; here a node keeps its place, and `psi` of a node is
    its own `C`.

    # Parameters

    dim : `int`
        Width of nodes, labels and of the layers (Table 2.10: 768, as the encoder).
    num_labels : `int`
        Number of labels with their directions, without `NULL`.
    recursive : `bool`
        True if `psi` and `omega` are the vectors of the previous step, as in the equation; False if
        they are always those of the words alone (released code).
    layers : `int`
        Number of layers of `Comp`: 2 by Table 2.10, one by section 2.9.
    skip : `bool`
        True if `psi^t` is added; False is the second row of Table 2.4.

    # Raises

    `ConfigurationError` if there are no layers.
    """

    def __init__(
        self, dim: int, num_labels: int, recursive: bool = True, layers: int = 2, skip: bool = True
    ) -> None:
        super().__init__()
        if layers < 1:
            raise ConfigurationError(
                f"model.composition_layers is {layers}. It must be at least 1."
            )
        self.null = torch.nn.Parameter(torch.randn(dim) / dim**0.5)
        self.labels = torch.nn.Embedding(1 + num_labels, dim)
        torch.nn.init.normal_(self.labels.weight, std=dim**-0.5)
        # "A feed-forward with tanh": our choice is a tanh after each layer, so that what many steps
        # add stays bounded.
        widths = [3 * dim, *[dim] * layers]
        layer_pairs = [
            (torch.nn.Linear(*pair), torch.nn.Tanh()) for pair in zip(widths, widths[1:])
        ]
        self.layers = torch.nn.Sequential(*(part for pair in layer_pairs for part in pair))
        self.recursive = recursive
        self.skip = skip

    def start(self, words: torch.Tensor) -> Composed:
        """
        Returns the state before the first step: `C` are the nodes `(batch, n, dim)` themselves.
        """
        labels = torch.full(words.shape[:2], NULL, device=words.device)
        return Composed(words, self.null.to(words.dtype).expand_as(words), labels)

    def forward(
        self,
        before: Composed,
        words: torch.Tensor,
        heads: torch.Tensor,
        dependents: torch.Tensor,
        labels: torch.Tensor,
        there: torch.Tensor,
    ) -> Composed:
        """
        Returns the state after a step of each sentence.

        # Parameters

        before : `Composed`
        words : `torch.Tensor`
            The nodes before the first step, `(batch, n, dim)`.
        heads, dependents, labels : `torch.Tensor`
            `(batch,)`: the arc that the step made; -1 if it made none.
        there : `torch.Tensor`
            `(batch, n)`: the nodes on the stack and in the buffer after it. Others are unchanged,
            and cost nothing.
        """
        nodes = before.nodes if self.recursive else words
        places = torch.arange(nodes.shape[1], device=nodes.device)
        is_head = places == heads.unsqueeze(1)
        latest = nodes[torch.arange(len(nodes), device=nodes.device), dependents].unsqueeze(1)
        dependent = torch.where(is_head.unsqueeze(2), latest, before.dependents)
        label = torch.where(is_head, labels.unsqueeze(1), before.labels)
        at = there.nonzero(as_tuple=True)
        new = self.layers(torch.cat([nodes[at], dependent[at], self.labels(label[at])], 1))
        if self.skip:
            new = new + nodes[at]
        return Composed(before.nodes.index_put(at, new.to(nodes.dtype)), dependent, label)
