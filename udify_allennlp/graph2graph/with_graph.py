"""A model whose encoder attends to a given graph, such as a role labeller with syntax."""

from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from udify_allennlp.encoders.graph_encoder import GRAPH, GraphEncoder
from udify_allennlp.graph2graph.initial import InitialGraph, SynTrGraph
from udify_allennlp.graph2graph.with_initial import WithInitial
from udify_allennlp.models.batch_subset import BatchSubset


@Model.register("udify_with_graph")
class GraphInputModel(WithInitial):
    """
    `Z = E(W, P, G)` and a decoder for each task (Mohammadshahi 2023, Equation 4.1): a
    `udify_multitask` whose encoder attends to a syntactic graph; with the decoder
    `udify_role_decoder` and the terms of queries and keys it is SynG2G-Tr.

    # Parameters

    vocab : `Vocabulary`
    initial : `InitialGraph`
        The source of the graph: `empty` (no syntax), `file` (the reader's `predicted_deps`), or
        `archive` (one of our parsers, whose columns are predicted as well).
    **kwargs :
        As for `udify_multitask`, whose embedder is a `udify_graph_encoder`.

    # Raises

    `ConfigurationError` if they are of other types.
    """

    def __init__(self, vocab: Vocabulary, initial: InitialGraph, **kwargs: Any) -> None:
        super().__init__(vocab, initial, **kwargs)
        if not isinstance(self.embedder, GraphEncoder):
            raise ConfigurationError(
                "model.embedder must be a udify_graph_encoder, since this model attends to graphs."
            )
        if isinstance(initial, SynTrGraph):
            raise ConfigurationError(
                "model.initial is syntr, which only udify_refinement trains. Use empty, file or "
                "archive."
            )

    def _forward(self, part: BatchSubset) -> dict[str, Any]:
        with torch.no_grad():
            first = self.initial(part.batch, part.layout, part.sentences)
        part.batch["inputs"].update(first.inputs)
        part.batch["inputs"][GRAPH] = first.graph
        output = super()._forward(part)
        if first.columns and not self.training:
            pairs = zip(first.columns, output["columns"])
            output["columns"] = [
                {**initial_columns, **new_columns} for initial_columns, new_columns in pairs
            ]
        return output
