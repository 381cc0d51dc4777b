"""The StateTr family: transition parsers that encode their stack and buffer at each step."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from torch.utils.checkpoint import checkpoint

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.graph2graph.batch_steps import BatchSteps
from udify_allennlp.graph2graph.state_sequence import positions_in, sequences
from udify_allennlp.graph2graph.stepwise import Pass
from udify_allennlp.graph2graph.transition_decoder import StateScores
from udify_allennlp.graph2graph.transition_model import TransitionModel
from udify_allennlp.graph2graph.transitions import NOBODY, RIGHT, States
from udify_allennlp.kernels.precision import encoder_context, raised
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.modules.composition import NULL, Composed, Composition
from udify_allennlp.modules.relation_ids import NO_ARC, Graph, PieceNodes
from udify_allennlp.modules.step_history import History


class _Memory(NamedTuple):
    """The values carried from step to step in addition to the states."""

    words: torch.Tensor
    """`(batch, n, dim)`: vectors of the nodes."""
    ends: torch.Tensor
    """
    `(3, dim)`: vectors of the special pieces: `END`, `START`, and the first once more for padding.
    """
    graph: Graph
    composed: Optional[Composed]
    history: Optional[History]


@Model.register("udify_state_transitions")
class StateTransitionModel(TransitionModel):
    """
    State Transformer (Mohammadshahi 2023, sections 2.3 and 2.4, Algorithm 1): before each step the
    encoder reads `x_i = C_i + segment + position` (Equation 2.7) of the first pieces of the nodes
    on the stack and in the buffer. The sentences of a batch step together.

    | Table 2.1 | `relations`, `label_embeddings`, `deleted` | `composition` | decoder |
    |---|---|---|---|
    | StateTr | no | yes | |
    | StateCLSTr | no | yes | `graph_output` no |
    | StateTr+G2GTr | yes | no | |
    | StateTr+G2CLSTr | yes | no | `graph_output` no |
    | StateTr+G2GTr+C | yes | yes | |

    The first two are settings of the embedder; all have `history` in the decoder. With relations
    the encoder attends to the arcs so far, including those between deleted words (Algorithm 1; the
    released code leaves these out), and a vector for its label is added to each dependent.

    Departures: there are three new segment vectors instead of BERT's two. The buffer and the
    deleted list, whose words have consecutive positions, are not separated (the released code has a
    special piece there). A deleted word keeps its last composition. All steps of a batch make one
    update (the released code: one for each step); for it, each step is computed again in the
    backward pass, so that memory does not grow with the encoder's layers.

    # Parameters

    vocab : `Vocabulary`
    deleted : `bool`
        True if the encoder also reads deleted words.
    composition : `bool`
        True if nodes are composed with their dependents; see `Composition`.
    recursive : `bool`
        See `Composition`.
    composition_layers : `int`
        `layers` of `Composition`.
    composition_skip : `bool`
        `skip` of `Composition`: false is the second row of Table 2.4.
    separate_positions : `bool`
        True if positions are counted separately in the stack, in the buffer and in the deleted list
        (Table 2.5), instead of through the whole sequence. For encoders whose positions are counted
        from 0, such as BERT.
    **kwargs :
        As for `udify_multitask`, whose embedder is a `udify_graph_encoder` with `root` `piece`, and
        whose only decoder is `deps`, a `udify_transition_decoder`.

    # Raises

    `ConfigurationError` if they are of other types.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        deleted: bool = False,
        composition: bool = True,
        recursive: bool = True,
        composition_layers: int = 2,
        composition_skip: bool = True,
        separate_positions: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if self.encoder.root_piece is None:
            raise ConfigurationError(
                "model.embedder.root must be 'piece', since ROOT is at the bottom of the stack."
            )
        if self.characters is not None:
            raise ConfigurationError(
                "model.characters has no effect, since nodes on a stack have no spelling. Remove "
                "it."
            )
        dim = self.encoder.get_output_dim()
        if separate_positions:
            self.encoder.check_positions()
        self.separate_positions = separate_positions
        self.deleted = deleted
        self.segments = torch.nn.Embedding(3, dim)
        torch.nn.init.normal_(self.segments.weight, std=0.02)
        self.composition: Optional[Composition] = None
        if composition:
            self.composition = Composition(
                dim, 2 * self.num_labels, recursive, composition_layers, composition_skip
            )

    def passes(self, part: BatchSubset) -> Iterator[Pass]:
        states, graph = self.start(part)
        memory = self._start(part, graph)
        if self.training:
            yield self._learned(part, states, memory)
            return
        while not states.done.all():
            memory = self._after(memory, states, self._best(states, memory))
        yield self.built(part, states)

    def _learned(self, part: BatchSubset, states: States, memory: _Memory) -> Pass:
        steps, totals = self.gold(part)
        number = steps.numbers()
        losses: list[torch.Tensor] = []
        for time in range(int(number.max()) + 1):
            now = steps.where(number == time)
            going = numpy.flatnonzero(~states.done)
            losses.append(self.decoder.losses(self._scores(states, memory, going), now)[0])
            memory = self._after(memory, states, now)
        return Pass((torch.stack(losses).sum(0) / totals).sum(), is_last=True)

    def _start(self, part: BatchSubset, graph: Graph) -> _Memory:
        with encoder_context(self.precision, part.layout.nodes.device):
            words, ends = map(raised, self.encoder.node_vectors(part.batch, part.layout))
        composed = None if self.composition is None else self.composition.start(words)
        history = None if self.decoder.history is None else self.decoder.history.start(len(words))
        # What is no node has a negative number: the last three are read then.
        ends = torch.cat([ends.flip(0), ends[1:]])
        return _Memory(words, ends, graph, composed, history)

    def _best(self, states: States, memory: _Memory) -> BatchSteps:
        """Returns the next steps of unfinished sentences; nothing is encoded for forced ones."""
        steps = [self.decoder.forced(states)]
        free = ~states.done
        free[steps[0].sentences.cpu().numpy()] = False
        going = numpy.flatnonzero(free)
        if len(going):
            steps.append(self.decoder.best(self._scores(states, memory, going), states, going))
        return BatchSteps.one_after_the_other(steps)

    def _scores(self, states: States, memory: _Memory, going: numpy.ndarray) -> StateScores:
        """Returns the scores of the next steps of the sentences `going`, none of them done."""
        device = memory.words.device
        state_inputs = sequences(states, going, self.deleted, self.encoder.max_pieces)
        rows, nodes, segments, tops = (
            torch.from_numpy(x).to(device, non_blocking=True)
            for x in (going, *state_inputs, states.tops[going])
        )
        with encoder_context(self.precision, device):
            read = raised(self._again(self._read, memory, rows, nodes, segments, tops))
        history = None if memory.history is None else memory.history[0][-1, rows]
        places = torch.zeros(len(memory.words), dtype=torch.long, device=device)
        places[rows] = torch.arange(len(rows), device=device)
        return self.decoder.state_scores(read, history, places)

    def _read(
        self,
        memory: _Memory,
        rows: torch.Tensor,
        nodes: torch.Tensor,
        segments: torch.Tensor,
        tops: torch.Tensor,
    ) -> torch.Tensor:
        """Returns the input of the classifiers, `(states, 3 or 1, dim)`."""
        vectors = memory.words if memory.composed is None else memory.composed.nodes
        count = vectors.shape[1]
        if self.encoder.labels is not None:
            vectors = vectors + self.encoder.label_vectors(memory.graph.labels)
        ends = memory.ends.expand(len(vectors), -1, -1)
        vectors = torch.cat([vectors, ends], 1)[rows.unsqueeze(1), nodes]
        pieces = PieceNodes.of(torch.where(nodes >= 0, nodes, NO_ARC), count)
        layers = self.encoder.of_nodes(
            vectors + self.segments(segments),
            nodes != NOBODY,
            pieces,
            Graph(*(x[rows] for x in memory.graph)),
            positions_in(segments) if self.separate_positions else None,
        )
        places = torch.zeros_like(rows).unsqueeze(1)
        if self.decoder.graph_output:
            places = pieces.first_of.gather(1, tops.clamp(min=0)).clamp(max=nodes.shape[1] - 1)
        number = torch.arange(len(rows), device=rows.device).unsqueeze(1)
        top_vectors = self.mix("deps", torch.stack([layer[number, places] for layer in layers]))
        if not self.decoder.graph_output:
            return top_vectors
        nobody = self.decoder.nobody.to(top_vectors.dtype)
        return torch.where((tops == NOBODY).unsqueeze(2), nobody, top_vectors)

    def _after(self, memory: _Memory, states: States, steps: BatchSteps) -> _Memory:
        """Returns the values after the steps."""
        steps.take(states)
        graph = self.with_arcs(memory.graph, steps)
        composed, history = memory.composed, memory.history
        if self.decoder.history is not None and history is not None:
            rows = steps.sentences
            hidden, cells = (x.index_select(1, rows) for x in history)
            new = self.decoder.history((hidden, cells), steps.actions, steps.labels)
            hidden, cells = (x.index_copy(1, rows, y.to(x.dtype)) for x, y in zip(history, new))
            history = hidden, cells
        if self.composition is not None and composed is not None:
            heads, dependents = (self._of_all(memory, steps, x) for x in steps.arcs)
            directed = 1 + steps.labels + self.num_labels * (steps.actions == RIGHT)
            directed = torch.where(steps.labels == UNSEEN, NULL, directed)
            composed = self._again(
                self.composition,
                composed,
                memory.words,
                heads,
                dependents,
                self._of_all(memory, steps, directed),
                torch.from_numpy(states.waiting).to(graph.labels.device),
            )
        return memory._replace(graph=graph, composed=composed, history=history)

    @staticmethod
    def _of_all(memory: _Memory, steps: BatchSteps, values: torch.Tensor) -> torch.Tensor:
        """Returns the values of the steps for all sentences, -1 for sentences without a step."""
        return values.new_full((len(memory.words),), NOBODY).index_put((steps.sentences,), values)

    def _again(self, function: Callable[..., Any], *values: Any) -> Any:
        """
        Returns the result of a function; in training it is computed again in the backward pass.
        """
        if not self.training:
            return function(*values)
        return checkpoint(function, *values, use_reentrant=False)
