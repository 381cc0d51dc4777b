"""
The share of an encoder's attention that falls on the arcs of its input graph: a number for the
figures of Mohammadshahi 2023, section 4.11.
"""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.encoders.graph_encoder import GraphEncoder
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.sentence import Sentence


class GraphMass(NamedTuple):
    """
    Means over the wordpieces that have a relation to another wordpiece, in every pass with a graph.
    """

    mass: torch.Tensor
    """`(layers, heads)`: the share of a piece's attention that falls on related pieces."""
    chance: float
    """The share of related pieces among all pieces that a piece can attend to."""
    pieces: int
    """The number of pieces that were counted."""


class _Sums:
    def __init__(self) -> None:
        self.mass: Optional[torch.Tensor] = None
        self.chance = 0.0
        self.pieces = 0

    def add(
        self, layers: int, layer: int, shares: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor
    ) -> None:
        """Adds the shares of one layer; `mask` `(batch, n)`."""
        related = (ids != 0) & mask.unsqueeze(1) & mask.unsqueeze(2)
        if self.mass is None:
            self.mass = torch.zeros(layers, shares.shape[1], dtype=torch.float64)
        # Rows without a relation have no mass.
        self.mass[layer] += (shares * related.unsqueeze(1)).sum((0, 2, 3)).double().cpu()
        if layer == 0:
            of_row = related.sum(2)
            self.chance += float((of_row / mask.sum(1, keepdim=True)).sum())
            self.pieces += int((of_row > 0).sum())


def graph_mass(predictor: ConlluPredictor, sentences: Sequence[Sentence], name: str) -> GraphMass:
    """
    Measures the attention of a model that attends to graphs, while it parses sentences. Chance is
    the share under uniform attention. A graph's arcs are short, and so is much attention without a
    graph, which may explain shares above chance in the lowest layers.

    # Raises

    `ConfigurationError`, with the model's `name`, if it does not attend to graphs, or received
    none.
    """
    encoder = getattr(predictor.model, "embedder", None)
    if not isinstance(encoder, GraphEncoder) or encoder.graph is None:
        raise ConfigurationError(
            f"{name} does not attend to graphs. Use a model whose embedder is a "
            "udify_graph_encoder with relations."
        )
    sums, layers = _Sums(), len(encoder.graph.tables)

    def watch(
        layer: int, shares: torch.Tensor, ids: torch.Tensor, mask: Optional[torch.Tensor]
    ) -> None:
        seen = torch.ones_like(ids[:, 0], dtype=torch.bool)
        if mask is not None:  # of each query the same
            seen = mask[:, -1, 0] if mask.dim() == 4 else mask
        sums.add(layers, layer, shares, ids, seen)

    encoder.graph.watcher = watch
    try:
        with torch.no_grad():
            for _, batch in predictor.batches(sentences):  # one after the other
                predictor.model(**batch)
    finally:
        encoder.graph.watcher = None
    if sums.mass is None or not sums.pieces:
        raise ConfigurationError(
            f"{name} received no arc for these sentences. Use longer sentences."
        )
    return GraphMass(sums.mass / sums.pieces, sums.chance / sums.pieces, sums.pieces)
