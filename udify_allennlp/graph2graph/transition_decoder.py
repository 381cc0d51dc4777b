"""Which step a transition parser takes, and with which label (Mohammadshahi 2023, Equation 2.5)."""

from typing import Dict, List, NamedTuple, Sequence, Tuple

import numpy
import torch
import torch.nn.functional as F
from allennlp.data import Vocabulary

from udify_allennlp.data.collate import UNSEEN
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.tree_decoder import TreeDecoder
from udify_allennlp.graph2graph.transitions import LEFT, NOBODY, RIGHT, States, oracle
from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.modules.biaffine import activation_of
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.sentence import Columns, Sentence


class TransitionScores(NamedTuple):
    """What the scores of steps are worked out of, and which row each node has."""

    actions: torch.Tensor
    """`(rows + 1, 3, hidden)`; see `OfNodes`. The last row is that of a node that is not there."""
    labels: torch.Tensor
    """`(rows + 1, 2, hidden)`."""
    layout: Layout

    def places(self, sentences: torch.Tensor, nodes: torch.Tensor) -> torch.Tensor:
        """The rows of nodes `(steps, tops)` of `sentences` `(steps,)`."""
        rows = self.layout.nodes[sentences.unsqueeze(1), nodes.clamp(min=0)]
        return rows.masked_fill(nodes == NOBODY, len(self.actions) - 1)


class OfNodes(torch.nn.Module):
    """
    A perceptron of one hidden layer over the vectors of several nodes side by side. What each node
    brings to the hidden layer is worked out once, whatever it is put together with.

    # Parameters

    input_dim : `int`
        Width of a node's vector.
    nodes : `int`
        How many there are.
    hidden_dim, output_dim : `int`
    activation : `str`
        One of `ACTIVATIONS`.
    dropout : `float`
        On the hidden layer.

    # Raises

    `ConfigurationError` if there is no such activation.
    """

    def __init__(
        self,
        input_dim: int,
        nodes: int,
        hidden_dim: int,
        output_dim: int,
        activation: str,
        dropout: float,
    ) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(input_dim, nodes * hidden_dim)
        self.output = torch.nn.Linear(hidden_dim, output_dim)
        self.activation = activation_of(activation)
        self.dropout = FastDropout(dropout)
        self._shape = (nodes, hidden_dim)

    def parts(self, rows: torch.Tensor) -> torch.Tensor:
        """`(rows, nodes, hidden_dim)`: each row in each of the places."""
        return self.hidden(rows).unflatten(-1, self._shape)  # type: ignore[no-any-return]

    def forward(self, parts: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Of rows `places` `(n, nodes)` of `parts`, `(n, output_dim)`."""
        numbers = torch.arange(places.shape[1], device=places.device)
        hidden = parts[places, numbers].sum(1)
        return self.output(self.dropout(self.activation(hidden))).float()  # type: ignore


@Decoder.register("udify_transition_decoder")
class TransitionDecoder(TreeDecoder):
    """
    `a = Exist([g_s2; g_s1; g_b1])`, `l = Relation([g_s2; g_s1] | a)` over arc-standard with SWAP,
    greedily. With `udify_multitask` this is SentTr, which encodes a sentence once; with
    `udify_graph_transitions`, SentTr+G2GTr. The loss is cross-entropy of the oracle's actions and
    of the labels of its arcs, a mean each (the thesis does not say; released code).

    Departures: one word only gets ROOT as its head, and `root` as its deprel, as UD demands. A node
    that is not there, such as the second of a stack that has but ROOT, has a learned vector.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    action_dim, label_dim : `int`
        Of the hidden layers (Table 2.10: 500 and 100; the released code has 768).
    dropout : `float`
        On the hidden layers (Table 2.10: 0.05).
    activation : `str`
        Of the hidden layers (Table 2.10: ReLU; the released code has a leaky one).
    directed_labels : `bool`
        Whether there are labels of LEFT and labels of RIGHT ("conditioned on its direction";
        released code of StateTr), or one set (that of SentTr).
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
    ) -> None:
        super().__init__(vocab, input_dim)
        self.nobody = torch.nn.Parameter(torch.randn(input_dim) / input_dim**0.5)
        count = len(self._labels)
        self._directed = directed_labels
        self.actions = OfNodes(input_dim, 3, action_dim, 4, activation, dropout)
        self.labels = OfNodes(
            input_dim, 2, label_dim, count * (1 + directed_labels), activation, dropout
        )

    def scores(self, encoded: Encoded) -> TransitionScores:
        rows, layout = self.rows(encoded)
        rows = torch.cat([rows, self.nobody.to(rows.dtype).unsqueeze(0)])
        return TransitionScores(self.actions.parts(rows), self.labels.parts(rows), layout)

    def loss(self, scores: TransitionScores, gold: Dict[str, torch.Tensor]) -> torch.Tensor:
        sums, counts = self.losses(scores, gold_steps(scores.layout, gold))
        return (sums / counts.clamp(min=1)).sum()

    def losses(
        self, scores: TransitionScores, steps: "GoldSteps"
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """Sums over actions and over known labels, `(2,)`, and how many there are of each."""
        found = self.actions(scores.actions, scores.places(steps.sentences, steps.tops))
        actions = F.cross_entropy(found, steps.actions, reduction="sum")
        known = steps.labels != UNSEEN
        arcs = GoldSteps(*(x[known] for x in steps))
        found = self.label_scores(scores, arcs.sentences, arcs.tops, arcs.actions)
        labels = F.cross_entropy(found, arcs.labels, reduction="sum")
        counts = torch.stack([torch.ones_like(known).sum(), known.sum()])
        return torch.stack([actions, labels]), counts

    def label_scores(
        self,
        scores: TransitionScores,
        sentences: torch.Tensor,
        tops: torch.Tensor,
        actions: torch.Tensor,
    ) -> torch.Tensor:
        """Of arcs, `(arcs, labels)`; the other arguments as in `GoldSteps`."""
        found: torch.Tensor = self.labels(scores.labels, scores.places(sentences, tops[:, :2]))
        if not self._directed:
            return found
        left, right = found.chunk(2, 1)
        return torch.where((actions == LEFT).unsqueeze(1), left, right)

    def step(self, scores: TransitionScores, states: States) -> None:
        """The best legal step of each sentence that is not done."""
        device = scores.actions.device
        going = numpy.flatnonzero(~states.done)
        tops = torch.from_numpy(states.tops[going]).to(device)
        sentences = torch.from_numpy(going).to(device)
        found = self.actions(scores.actions, scores.places(sentences, tops))
        legal = torch.from_numpy(states.legal()[going]).to(device)
        chosen = found.masked_fill_(~legal, -torch.inf).argmax(1)
        labels = self.label_scores(scores, sentences, tops, chosen)
        to_root = (chosen == RIGHT) & (tops[:, 0] == 0)
        best = self.best_labels(labels, torch.where(to_root, 0, 1))
        states.apply_to(going, *torch.stack([chosen, best]).cpu().numpy())

    def decode(self, scores: TransitionScores, sentences: Sequence[Sentence]) -> List[Columns]:
        states = States([len(sentence) for sentence in sentences])
        while not states.done.all():
            self.step(scores, states)
        return self.columns_of(states, sentences)

    def columns_of(self, states: States, sentences: Sequence[Sentence]) -> List[Columns]:
        """The trees that were built."""
        is_word = numpy.arange(1, states.heads.shape[1]) <= states.lengths[:, None]
        heads, labels = (torch.from_numpy(x[:, 1:][is_word]) for x in (states.heads, states.labels))
        return self.columns(heads, labels, sentences)


class GoldSteps(NamedTuple):
    """The oracle's steps of all sentences of a batch, one sentence after the other."""

    sentences: torch.Tensor
    """`(steps,)`: of which sentence."""
    tops: torch.Tensor
    """`(steps, 3)`: see `Steps`."""
    actions: torch.Tensor
    """`(steps,)`."""
    labels: torch.Tensor
    """`(steps,)`: of the arc; `UNSEEN` where there is none, or no known one."""


def gold_steps(layout: Layout, gold: Dict[str, torch.Tensor]) -> GoldSteps:
    """Of gold `heads` and `deprels` `(words,)`; on the device of the layout."""
    device = layout.nodes.device
    lengths = (layout.mask.sum(1) - 1).tolist()
    trees = torch.split(gold["heads"].cpu(), lengths)
    labels = torch.split(gold["deprels"].cpu(), lengths)
    sentences: List[int] = []
    tops: List[Tuple[int, int, int]] = []
    actions: List[int] = []
    known: List[int] = []
    for number, (heads, own) in enumerate(zip(trees, labels)):
        steps = oracle(tuple(heads.tolist()))
        sentences += [number] * len(steps.actions)
        tops += steps.tops
        actions += steps.actions
        names = own.tolist()
        known += [UNSEEN if d == NOBODY else names[d - 1] for d in steps.dependents]
    return GoldSteps(*(torch.tensor(x, device=device) for x in (sentences, tops, actions, known)))
