"""SentTr+G2GTr: a transition parser that encodes the sentence anew after each arc."""

from typing import Any, Dict, Iterator, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from udify_allennlp.data.collate import UNSEEN
from udify_allennlp.encoders.graph_encoder import GRAPH, GraphEncoder
from udify_allennlp.graph2graph.part_of_batch import Part
from udify_allennlp.graph2graph.stepwise import Pass, StepwiseModel
from udify_allennlp.graph2graph.transition_decoder import (
    GoldSteps,
    TransitionDecoder,
    TransitionScores,
    gold_steps,
)
from udify_allennlp.graph2graph.transitions import NOBODY, States
from udify_allennlp.modules.relation_ids import Graph


@Model.register("udify_graph_transitions")
class GraphTransitionModel(StepwiseModel):
    """
    SentTr+G2GTr (Mohammadshahi 2023, Equation 2.10 and Algorithm 2): before each step the encoder
    attends to the arcs that were made so far. In training these are the oracle's; what lies ahead
    is never seen. The sentences of a batch step together.

    Departure: with the trainer `udify_refining` the losses of the steps are summed in gradients, as
    one mean over all steps of a batch (released code), without keeping every step in memory.

    # Parameters

    vocab : `Vocabulary`
    **kwargs :
        As for `udify_multitask`, whose embedder is a `udify_graph_encoder` and whose only decoder
        is `deps`, a `udify_transition_decoder`.

    # Raises

    `ConfigurationError` if they are others.
    """

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        if not isinstance(self.embedder, GraphEncoder) or self.embedder.graph is None:
            raise ConfigurationError(
                "model.embedder must be a udify_graph_encoder with relations: steps look at "
                "the arcs before them."
            )
        decoder = self.decoders["deps"] if list(self.decoders) == ["deps"] else None
        if not isinstance(decoder, TransitionDecoder):
            raise ConfigurationError(
                "model.decoders must be deps alone, of type udify_transition_decoder."
            )
        self._steps = decoder

    def passes(self, part: Part) -> Iterator[Pass]:
        if self.training:
            self.learns(self._steps, part.gold)
            yield from self._learned(part)
            return
        states = _states(part)
        while not states.done.all():
            self._steps.step(self._scores(part, states), states)
        places = range(len(part.sentences))
        columns = self._steps.columns_of(states, part.sentences)
        yield Pass(places=places, columns=columns, is_last=True)

    def _learned(self, part: Part) -> Iterator[Pass]:
        steps = gold_steps(part.layout, part.gold)
        # Of each step its number in its sentence.
        counts = torch.bincount(steps.sentences)
        number = torch.arange(len(steps.sentences), device=counts.device)
        number = number - (counts.cumsum(0) - counts)[steps.sentences]
        known = (steps.labels != UNSEEN).sum()
        totals = torch.stack([torch.full_like(known, len(number)), known.clamp(min=1)])
        states, longest = _states(part), int(counts.max())
        for time in range(longest):
            now = GoldSteps(*(x[number == time] for x in steps))
            sums, _ = self._steps.losses(self._scores(part, states), now)
            is_last = time + 1 == longest
            yield Pass((sums / totals).sum(), is_last, update=is_last)
            states.apply_to(*(x.cpu().numpy() for x in (now.sentences, now.actions, now.labels)))

    def _scores(self, part: Part, states: States) -> TransitionScores:
        """Of the steps that can come next, with the arcs so far in the attention."""
        device = part.layout.nodes.device
        heads, labels = (torch.from_numpy(x).to(device) for x in (states.heads, states.labels))
        # A label that training lacks is an arc all the same.
        unknown = cast(GraphEncoder, self.embedder).num_labels
        labels = torch.where((labels == NOBODY) & (heads != NOBODY), unknown, labels)
        inputs: Dict[str, Any] = {**part.batch["inputs"], GRAPH: Graph(heads.clamp(min=0), labels)}
        ((_, _, scores),) = self.scored({**part.batch, "inputs": inputs}, part.layout)
        found: TransitionScores = scores
        return found


def _states(part: Part) -> States:
    return States([len(sentence) for sentence in part.sentences])
