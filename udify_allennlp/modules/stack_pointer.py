"""Trees built top down by a pointer network (Ma et al. 2018): its steps, and its probabilities."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.kernels.lstm import Lstm
from udify_allennlp.modules.biaffine import Biaffine, activation_of
from udify_allennlp.modules.bilinear import LabelBilinear

State = tuple[torch.Tensor, torch.Tensor]
"""Hidden state and cell of the LSTM, `(batch, k, hidden_dim)` each."""


class Steps(NamedTuple):
    """
    The 2n + 1 steps that build a tree of n words: the top of the stack is given a child, which is
    pushed, or points to itself and is popped. Numbers of nodes, ROOT is 0.
    """

    tops: list[int]
    """The top of the stack before each step."""
    above: list[int]
    """The node below it on the stack, its head; for ROOT, ROOT."""
    children: list[int]
    """The node that it points to."""


def stack_steps(heads: Sequence[int]) -> Steps:
    """
    Returns the steps of the tree in which `heads[d - 1]` is the head of word `d`: depth first, the
    children of a head from left to right (the released code of Ahmad et al. 2019).
    """
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for dependent in range(len(heads), 0, -1):  # the leftmost is taken first
        children[heads[dependent - 1]].append(dependent)
    steps, stack = Steps([], [], []), [0]
    while stack:
        top = stack[-1]
        child = children[top].pop() if children[top] else top
        steps.tops.append(top)
        steps.above.append(stack[-2] if len(stack) > 1 else 0)
        steps.children.append(child)
        if child == top:
            stack.pop()
        else:
            stack.append(child)
    return steps


class PointerNodes(NamedTuple):
    """The tensors that a `StackPointer` computes once for the nodes of sentences."""

    sources: torch.Tensor
    """`(batch, n, lstm_dim)`: a node's contribution to the input of the LSTM."""
    arcs: torch.Tensor
    """`(batch, n, arc_dim)`: nodes as targets of the pointer."""
    deprels: torch.Tensor
    """`(batch, n, deprel_dim)`: nodes as dependents with a label."""
    mask: torch.Tensor
    """`(batch, n)`, True on ROOT and on words."""
    state: State
    """The state before the first step, where `k` is 1."""

    def of(self, rows: torch.Tensor) -> "PointerNodes":
        """Returns the nodes of some of the sentences."""
        hidden, cell = self.state
        return PointerNodes(
            self.sources[rows],
            self.arcs[rows],
            self.deprels[rows],
            self.mask[rows],
            (hidden[rows], cell[rows]),
        )


class StackPointer(torch.nn.Module):
    """
    Predicts for each step the probabilities of all nodes, and of the labels of the node that it
    points to (Ma et al. 2018, section 3; widths and order as in the released code of Ahmad et al.
    2019):

        u_t = o_top + o_above,  d_t = LSTM(act(W_s u_t + b_s), d_{t-1})
        p_t = softmax_j(Biaffine(act(W_h d_t + b_h), act(W_c o_j + b_c)))
        q_t = softmax_l(Bilinear_l(act(V_h d_t + a_h), act(V_c o_child + a_c)))

    The last label, number `num_labels`, is that of a step that pops. The LSTM starts with the cell
    `c_0 = W_0 sum_i softmax_i(v o_i) o_i` and the state `tanh(c_0)`. Departure: this also holds
    above an LSTM, whose last cells the released code uses instead.

    # Parameters

    input_dim : `int`
        Width of the nodes' vectors.
    num_labels : `int`
    arc_dim, deprel_dim : `int`
        Widths of the perceptrons.
    lstm_dim, hidden_dim : `int`
        Widths of the input and of the output of the LSTM.
    dropout : `float`
        Dropout rate on the perceptrons' outputs.
    activation : `str`
        One of `ACTIVATIONS`.

    # Raises

    `ConfigurationError` for an unknown activation.
    """

    def __init__(
        self,
        input_dim: int,
        num_labels: int,
        arc_dim: int = 512,
        deprel_dim: int = 128,
        lstm_dim: int = 256,
        hidden_dim: int = 300,
        dropout: float = 0.33,
        activation: str = "elu",
    ) -> None:
        super().__init__()
        self.activation = activation_of(activation)
        self.source = torch.nn.Linear(input_dim, lstm_dim)
        self.pool = torch.nn.Linear(input_dim, 1, bias=False)
        self.start = torch.nn.Linear(input_dim, hidden_dim)
        self.lstm = Lstm(lstm_dim, hidden_dim, batch_first=True)
        self.arc_head = torch.nn.Linear(hidden_dim, arc_dim)
        self.arc_child = torch.nn.Linear(input_dim, arc_dim)
        self.arcs = Biaffine(arc_dim)
        self.deprel_head = torch.nn.Linear(hidden_dim, deprel_dim)
        self.deprel_child = torch.nn.Linear(input_dim, deprel_dim)
        self.deprels = LabelBilinear(deprel_dim, deprel_dim, num_labels + 1)
        self.dropout = FastDropout(dropout)

    def nodes(self, nodes: torch.Tensor, mask: torch.Tensor) -> PointerNodes:
        """
        Prepares nodes `(batch, n, input_dim)`, ROOT first, `mask` `(batch, n)` True on real ones.
        """
        weights = self.pool(nodes).squeeze(2).masked_fill(~mask, -torch.inf).softmax(1)
        cell = self.start(torch.einsum("bn,bnd->bd", weights, nodes)).unsqueeze(1)
        return PointerNodes(
            F.linear(nodes, self.source.weight),
            self.dropout(self.activation(self.arc_child(nodes))),
            self.dropout(self.activation(self.deprel_child(nodes))),
            mask,
            (torch.tanh(cell), cell),
        )

    def states(self, nodes: PointerNodes, tops: torch.Tensor, above: torch.Tensor) -> torch.Tensor:
        """
        Returns the LSTM's output `(batch, steps, hidden_dim)` for all steps, `tops` `(batch,
        steps)`.
        """
        hidden, cell = (part.transpose(0, 1).contiguous() for part in nodes.state)
        states, _ = self.lstm(self._inputs(nodes, tops, above), (hidden, cell))
        return states

    def next_state(
        self, nodes: PointerNodes, state: State, tops: torch.Tensor, above: torch.Tensor
    ) -> State:
        """
        Returns the state after one step of each of the k hypotheses per sentence, `tops` `(batch,
        k)`.
        """
        inputs = self._inputs(nodes, tops, above).flatten(0, 1)
        before = [part.flatten(0, 1) for part in state]
        weights: Any = self.lstm._flat_weights
        # Its cell alone: the whole LSTM takes three times as long for one step on a CPU.
        hidden, cell = torch.lstm_cell(inputs, before, *weights)
        return hidden.unflatten(0, tops.shape), cell.unflatten(0, tops.shape)

    def pointer(self, nodes: PointerNodes, states: torch.Tensor) -> torch.Tensor:
        """
        Returns log-probabilities (nats) of all nodes, `(batch, steps, n)`, after `states` `(batch,
        steps, hidden_dim)`; -inf for padding.
        """
        heads = self.dropout(self.activation(self.arc_head(states)))
        scores = self.arcs(heads, nodes.arcs).float()
        return scores.masked_fill(~nodes.mask.unsqueeze(1), -torch.inf).log_softmax(2)

    def labels(
        self, nodes: PointerNodes, states: torch.Tensor, children: torch.Tensor
    ) -> torch.Tensor:
        """
        Returns log-probabilities (nats) of labels `(batch, steps, num_labels + 1)` for `children`.
        """
        heads = self.dropout(self.activation(self.deprel_head(states)))
        label_scores = self.deprels(heads, _take(nodes.deprels, children))
        return label_scores.float().log_softmax(2)

    def label_products(self, nodes: PointerNodes) -> torch.Tensor:
        """
        Returns every node times the label matrices, `(batch, n, labels * deprel_dim)`, for
        `labels_by`. In a search many hypotheses reach a node; here it is multiplied once.
        """
        return F.linear(nodes.deprels, self.deprels.weight.flatten(0, 1))

    def labels_by(
        self,
        products: torch.Tensor,
        nodes: PointerNodes,
        states: torch.Tensor,
        children: torch.Tensor,
    ) -> torch.Tensor:
        """Scores labels like `labels`, from `label_products`; without dropout."""
        heads = self.activation(self.deprel_head(states))
        chosen = _take(products, children).unflatten(2, self.deprels.weight.shape[:2])
        scores = torch.einsum("bkd,bkdl->bkl", heads, chosen)
        scores = scores + F.linear(heads, self.deprels.dependent_weight, self.deprels.bias)
        scores = scores + F.linear(_take(nodes.deprels, children), self.deprels.head_weight)
        return scores.float().log_softmax(2)

    def _inputs(self, nodes: PointerNodes, tops: torch.Tensor, above: torch.Tensor) -> torch.Tensor:
        both = _take(nodes.sources, tops) + _take(nodes.sources, above)
        return self.activation(both + self.source.bias)


def _take(values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Returns from values `(batch, n, dim)` those at `places` `(batch, k)`: `(batch, k, dim)`."""
    return values.gather(1, places.unsqueeze(2).expand(-1, -1, values.shape[2]))
