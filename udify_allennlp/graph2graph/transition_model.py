"""Base class of transition parsers that re-encode the sentence at each step."""

from typing import Any, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.data.tasks import Deps
from udify_allennlp.encoders.graph_encoder import GraphEncoder
from udify_allennlp.graph2graph.batch_steps import BatchSteps, gold_steps
from udify_allennlp.graph2graph.stepwise import Pass, StepwiseModel
from udify_allennlp.graph2graph.transition_decoder import TransitionDecoder
from udify_allennlp.graph2graph.transitions import States
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.modules.relation_ids import NO_ARC, Graph


class TransitionModel(StepwiseModel):
    """
    A `udify_multitask` whose embedder is a `udify_graph_encoder` and whose only decoder is `deps`,
    a `udify_transition_decoder`. In training the steps are the oracle's; later steps are never
    seen.

    # Raises

    `ConfigurationError` if they are of other types.
    """

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        if not isinstance(self.embedder, GraphEncoder):
            raise ConfigurationError("model.embedder must be of type udify_graph_encoder.")
        decoder = self.decoders["deps"] if list(self.decoders) == ["deps"] else None
        if not isinstance(decoder, TransitionDecoder):
            raise ConfigurationError(
                "model.decoders must be deps alone, of type udify_transition_decoder."
            )
        self.num_labels: int = vocab.get_vocab_size(Deps.NAMESPACE)

    @property
    def encoder(self) -> GraphEncoder:
        return cast(GraphEncoder, self.embedder)

    @property
    def decoder(self) -> TransitionDecoder:
        return cast(TransitionDecoder, self.decoders["deps"])

    def gold(self, part: BatchSubset) -> tuple[BatchSteps, torch.Tensor]:
        """Returns the oracle's steps, and the divisors of the `losses` of any of them, `(2,)`."""
        self.learns(self.decoder, part.gold)
        steps = gold_steps(part.layout, part.gold)
        num_labels = (steps.labels != UNSEEN).sum()
        return steps, torch.stack(
            [torch.full_like(num_labels, len(steps.labels)), num_labels.clamp(min=1)]
        )

    def built(self, part: BatchSubset, states: States) -> Pass:
        """Returns the trees of finished sentences."""
        columns = self.decoder.columns_of(states, part.sentences)
        return Pass(places=range(len(part.sentences)), columns=columns, is_last=True)

    @staticmethod
    def start(part: BatchSubset) -> tuple[States, Graph]:
        """Returns the sentences before their first step, and their graphs without arcs."""
        none = torch.full_like(part.layout.nodes, NO_ARC)
        return States([len(sentence) for sentence in part.sentences]), Graph(
            none.clamp(min=0), none
        )

    def with_arcs(self, graph: Graph, steps: BatchSteps) -> Graph:
        """
        Returns the graph after the `steps`. An arc whose label training lacks is still an arc.
        """
        arcs = steps.where(steps.is_arc)
        heads, dependents = arcs.arcs
        labels = torch.where(arcs.labels == UNSEEN, self.num_labels, arcs.labels)
        at = (arcs.sentences, dependents)
        return Graph(graph.heads.index_put(at, heads), graph.labels.index_put(at, labels))
