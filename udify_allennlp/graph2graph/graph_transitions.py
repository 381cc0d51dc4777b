"""SentTr+G2GTr: a transition parser that re-encodes the sentence after each arc."""

from collections.abc import Iterator
from typing import Any

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from udify_allennlp.encoders.graph_encoder import GRAPH
from udify_allennlp.graph2graph.batch_steps import BatchSteps
from udify_allennlp.graph2graph.stepwise import Pass
from udify_allennlp.graph2graph.transition_decoder import TransitionScores
from udify_allennlp.graph2graph.transition_model import TransitionModel
from udify_allennlp.graph2graph.transitions import States
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.modules.relation_ids import Graph


@Model.register("udify_graph_transitions")
class GraphTransitionModel(TransitionModel):
    """
    SentTr+G2GTr (Mohammadshahi 2023, Equation 2.10 and Algorithm 2): each step is chosen by an
    encoder that attends to the arcs that were made before it. In training these are the oracle's;
    later arcs are never seen.

    The thesis encodes a sentence before each step. SHIFT and SWAP do not change the encoder's
    input: here the sentences of a batch advance together from arc to arc, and are encoded once for
    each, without finished sentences. Departure: with the trainer `udify_refining` the losses of the
    steps are summed in gradients, as one mean over all steps of a batch (released code), without
    keeping every step in memory.

    # Parameters

    vocab : `Vocabulary`
    **kwargs :
        As for `udify_multitask`, whose embedder is a `udify_graph_encoder` with relations and whose
        only decoder is `deps`, a `udify_transition_decoder`.

    # Raises

    `ConfigurationError` if they are of other types.
    """

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        if self.encoder.graph is None:
            raise ConfigurationError(
                "model.embedder must be a udify_graph_encoder with relations, since steps attend "
                "to the arcs before them."
            )

    def passes(self, part: BatchSubset) -> Iterator[Pass]:
        if self.training:
            yield from self._learned(part)
            return
        states, graph = self.start(part)
        while not self._ahead(states).done.all():
            scores = self._scores(part, graph, torch.from_numpy(~states.done))
            going = numpy.flatnonzero(~states.done)
            arcs: list[BatchSteps] = []
            while len(going):
                steps = self.decoder.best_actions(scores, states, going)
                steps.take(states)
                arcs.append(steps.where(steps.is_arc))
                going = steps.where(~steps.is_arc).sentences.cpu().numpy()
            made = self.decoder.labelled(scores, BatchSteps.one_after_the_other(arcs))
            made.label(states)
            graph = self.with_arcs(graph, made)
        yield self.built(part, states)

    def _ahead(self, states: States) -> States:
        """Returns the states after the forced steps: the last arc needs no encoding."""
        while len((steps := self.decoder.forced(states)).sentences):
            steps.take(states)
        return states

    def _learned(self, part: BatchSubset) -> Iterator[Pass]:
        steps, totals = self.gold(part)
        _, graph = self.start(part)
        number = steps.arcs_before()
        longest = int(number.max()) + 1
        for time in range(longest):
            now = steps.where(number == time)
            going = torch.zeros(len(part.sentences), dtype=torch.bool)
            going[now.sentences.cpu()] = True
            sums, _ = self.decoder.losses(self._scores(part, graph, going), now)
            is_last = time + 1 == longest
            yield Pass((sums / totals).sum(), is_last, update=is_last)
            graph = self.with_arcs(graph, now)

    def _scores(self, part: BatchSubset, graph: Graph, going: torch.Tensor) -> TransitionScores:
        """
        Returns the scores of the possible next steps, with attention to the arcs so far, for the
        sentences where `going`, `(batch,)`, is True.
        """
        going = going.to(part.layout.nodes.device)
        some = part if bool(going.all()) else part.select(going)
        width = some.layout.nodes.shape[1]
        going_graph = Graph(*(x[going, :width] for x in graph))
        inputs: dict[str, Any] = {**some.batch["inputs"], GRAPH: going_graph}
        ((_, _, scores),) = self.scored({**some.batch, "inputs": inputs}, some.layout)
        nodes = torch.zeros_like(part.layout.nodes)
        nodes[going, :width] = scores.layout.nodes
        batch_scores: TransitionScores = scores._replace(layout=part.layout._replace(nodes=nodes))
        return batch_scores
