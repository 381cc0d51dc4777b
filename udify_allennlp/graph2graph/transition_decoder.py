"""
The classifier of a transition parser's next step and its label (Mohammadshahi 2023, Equation 2.5).
"""

from collections.abc import Sequence
from typing import NamedTuple, Optional, Union

import numpy
import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.tree_decoder import TreeDecoder
from udify_allennlp.graph2graph.batch_steps import BatchSteps, gold_steps
from udify_allennlp.graph2graph.transitions import ACTIONS, LEFT, NOBODY, RIGHT, SHIFT, States
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.node_tuple_classifier import OfNodes
from udify_allennlp.modules.step_history import StepHistory
from udify_allennlp.text.sentence import Columns, Sentence


class TransitionScores(NamedTuple):
    """The tensors from which the scores of all steps over the nodes of sentences are computed."""

    actions: torch.Tensor
    """`(rows + 1, 3, hidden)`; see `OfNodes`. The last row is for missing nodes."""
    labels: torch.Tensor
    """`(rows + 1, 2, hidden)`."""
    layout: Layout

    def of_actions(self, sentences: torch.Tensor, tops: torch.Tensor) -> torch.Tensor:
        """Returns the input of the hidden layer; arguments as in `BatchSteps`."""
        return OfNodes.gathered(self.actions, self._places(sentences, tops))

    def of_labels(self, sentences: torch.Tensor, tops: torch.Tensor) -> torch.Tensor:
        return OfNodes.gathered(self.labels, self._places(sentences, tops[:, :2]))

    def _places(self, sentences: torch.Tensor, nodes: torch.Tensor) -> torch.Tensor:
        rows = self.layout.nodes[sentences.unsqueeze(1), nodes.clamp(min=0)]
        return rows.masked_fill(nodes == NOBODY, len(self.actions) - 1)


class StateScores(NamedTuple):
    """The scores of the states of some sentences, each with its top nodes."""

    actions: torch.Tensor
    """`(states, hidden)`."""
    labels: torch.Tensor
    """`(states, hidden)`."""
    rows: torch.Tensor
    """`(batch,)`: the state of each sentence."""

    def of_actions(self, sentences: torch.Tensor, tops: torch.Tensor) -> torch.Tensor:
        return self.actions[self.rows[sentences]]

    def of_labels(self, sentences: torch.Tensor, tops: torch.Tensor) -> torch.Tensor:
        return self.labels[self.rows[sentences]]


@Decoder.register("udify_transition_decoder")
class TransitionDecoder(TreeDecoder):
    """
    `a = Exist([g_s2; g_s1; g_b1])`, `l = Relation([g_s2; g_s1] | a)` over arc-standard with SWAP,
    greedily. With `udify_multitask` this is SentTr, which encodes a sentence once; with
    `udify_graph_transitions`, SentTr+G2GTr; with `udify_state_transitions`, the StateTr family. The
    loss is cross-entropy of the oracle's actions and of the labels of its arcs, a mean each (the
    thesis does not specify this; released code).

    Departures: only one word has ROOT as its head, and `root` as its deprel, as UD requires. A
    missing node, such as the second of a stack with only ROOT, has a learned vector.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    action_dim, label_dim : `int`
        Widths of the hidden layers (Table 2.10: 500 and 100; the released code has 768).
    dropout : `float`
        Dropout rate on the hidden layers (Table 2.10: 0.05).
    activation : `str`
        Activation of the hidden layers (Table 2.10: ReLU; the released code has a leaky one).
    directed_labels : `bool`
        True for separate labels of LEFT and RIGHT ("conditioned on its direction"; released code of
        StateTr), False for one set (released code of SentTr).
    graph_output : `bool`
        If false, both classifiers read the first special piece instead of the nodes (StateCLSTr,
        StateTr+G2CLSTr); only for `udify_state_transitions`.
    history : `bool`
        If true, both classifiers also read `h^t` of Equation 2.8, whose width is `input_dim`; only
        for `udify_state_transitions`.
    learned_start : `bool`
        See `StepHistory`.

    # Raises

    `ConfigurationError` if a hidden layer has no width, or `dropout` is not in [0, 1).
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        action_dim: int = 500,
        label_dim: int = 100,
        dropout: float = 0.05,
        activation: str = "relu",
        directed_labels: bool = False,
        graph_output: bool = True,
        history: bool = False,
        learned_start: bool = False,
    ) -> None:
        super().__init__(vocab, input_dim)
        if min(action_dim, label_dim) < 1 or not 0 <= dropout < 1:
            raise ConfigurationError(
                f"decoders.deps: action_dim is {action_dim}, label_dim {label_dim} and dropout "
                f"{dropout}. The first two must be at least 1, dropout in [0, 1)."
            )
        self.nobody = torch.nn.Parameter(torch.randn(input_dim) / input_dim**0.5)
        count = len(self._labels)
        self._directed = directed_labels
        self.graph_output = graph_output
        of_actions, of_labels = (3 + history, 2 + history) if graph_output else [1 + history] * 2
        self.actions = OfNodes(input_dim, of_actions, action_dim, len(ACTIONS), activation, dropout)
        self.labels = OfNodes(
            input_dim, of_labels, label_dim, count * (1 + directed_labels), activation, dropout
        )
        self.history: Optional[StepHistory] = None
        if history:
            self.history = StepHistory(input_dim, len(ACTIONS), count, learned_start=learned_start)

    def scores(self, encoded: Encoded) -> TransitionScores:
        if self.history is not None or not self.graph_output:
            raise ConfigurationError(
                "decoders.deps: history, and graph_output false, are for a model of type "
                "udify_state_transitions. Remove them."
            )
        rows, layout = self.rows(encoded)
        rows = torch.cat([rows, self.nobody.to(rows.dtype).unsqueeze(0)])
        return TransitionScores(self.actions.parts(rows), self.labels.parts(rows), layout)

    def state_scores(
        self, read: torch.Tensor, history: Optional[torch.Tensor], rows: torch.Tensor
    ) -> StateScores:
        """
        Returns the scores of states, given the vectors `(states, 3, dim)` or, without
        `graph_output`, `(states, 1, dim)` that the classifiers read, and `history` `(states, dim)`
        if there is any.
        """
        of_labels = read[:, :2]
        if history is not None:
            last = history.unsqueeze(1).to(read.dtype)
            read, of_labels = (torch.cat([x, last], 1) for x in (read, of_labels))
        return StateScores(self.actions.joined(read), self.labels.joined(of_labels), rows)

    def loss(self, scores: TransitionScores, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        sums, counts = self.losses(scores, gold_steps(scores.layout, gold))
        return (sums / counts.clamp(min=1)).sum()

    def losses(
        self, scores: Union[TransitionScores, StateScores], steps: BatchSteps
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns sums over actions and over known labels, `(2,)`, and the numbers of these."""
        action_scores = self.actions(scores.of_actions(steps.sentences, steps.tops))
        actions = F.cross_entropy(action_scores, steps.actions, reduction="sum")
        labelled = steps.labels != UNSEEN
        arcs = steps.where(labelled)
        labels = F.cross_entropy(self.label_scores(scores, arcs), arcs.labels, reduction="sum")
        counts = torch.stack([torch.ones_like(labelled).sum(), labelled.sum()])
        return torch.stack([actions, labels]), counts

    def label_scores(
        self, scores: Union[TransitionScores, StateScores], arcs: BatchSteps
    ) -> torch.Tensor:
        """Returns the label scores of steps that make arcs, `(steps, labels)`."""
        label_scores: torch.Tensor = self.labels(scores.of_labels(arcs.sentences, arcs.tops))
        if not self._directed:
            return label_scores
        left, right = label_scores.chunk(2, 1)
        return torch.where((arcs.actions == LEFT).unsqueeze(1), left, right)

    def forced(self, states: States) -> BatchSteps:
        """
        Returns the steps of sentences with a single legal step, which need no scores: SHIFT or, at
        the very end, the arc from ROOT, whose label is `root`.
        """
        legal = states.legal()
        alone = legal.sum(1) == 1
        if self._root_label is None:
            alone &= legal[:, SHIFT]
        rows = numpy.flatnonzero(alone)
        sentences, tops, actions = (
            torch.from_numpy(x).to(self.nobody.device)
            for x in (rows, states.tops[rows], legal[rows].argmax(1))
        )
        labels = torch.full_like(actions, UNSEEN)
        if self._root_label is not None:
            labels.masked_fill_(actions == RIGHT, self._root_label)
        return BatchSteps(sentences, tops, actions, labels)

    def best(
        self,
        scores: Union[TransitionScores, StateScores],
        states: States,
        going: numpy.ndarray,
    ) -> BatchSteps:
        """Returns the best legal step of each unfinished sentence `going`; arcs with labels."""
        steps = self.best_actions(scores, states, going)
        arcs = self.labelled(scores, steps.where(steps.is_arc))
        return steps._replace(labels=steps.labels.masked_scatter(steps.is_arc, arcs.labels))

    def best_actions(
        self,
        scores: Union[TransitionScores, StateScores],
        states: States,
        going: numpy.ndarray,
    ) -> BatchSteps:
        """Returns the best legal step of each unfinished sentence `going`; arcs without labels."""
        device = scores.actions.device
        tops = torch.from_numpy(states.tops[going]).to(device)
        sentences = torch.from_numpy(going).to(device)
        action_scores = self.actions(scores.of_actions(sentences, tops))
        legal = torch.from_numpy(states.legal()[going]).to(device)
        chosen = action_scores.masked_fill_(~legal, -torch.inf).argmax(1)
        return BatchSteps(sentences, tops, chosen, torch.full_like(chosen, UNSEEN))

    def labelled(
        self, scores: Union[TransitionScores, StateScores], arcs: BatchSteps
    ) -> BatchSteps:
        """Returns steps that make arcs, with the best label of each."""
        labels = self.best_labels(self.label_scores(scores, arcs), arcs.arcs[0])
        return arcs._replace(labels=labels)

    def decode(self, scores: TransitionScores, sentences: Sequence[Sentence]) -> list[Columns]:
        states = States([len(sentence) for sentence in sentences])
        taken: list[BatchSteps] = []
        while not states.done.all():
            taken.append(self.best_actions(scores, states, numpy.flatnonzero(~states.done)))
            taken[-1].take(states)
        # No step looks at labels: those of all arcs are found at once.
        steps = BatchSteps.one_after_the_other(taken)
        self.labelled(scores, steps.where(steps.is_arc)).label(states)
        return self.columns_of(states, sentences)

    def columns_of(self, states: States, sentences: Sequence[Sentence]) -> list[Columns]:
        """Returns the columns of the completed trees."""
        is_word = numpy.arange(1, states.heads.shape[1]) <= states.lengths[:, None]
        heads, labels = (torch.from_numpy(x[:, 1:][is_word]) for x in (states.heads, states.labels))
        return self.columns(heads, labels, sentences)
