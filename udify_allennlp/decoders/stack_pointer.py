"""Dependency trees built top down, by a pointer network with a stack."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.tree_decoder import TreeDecoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.pointer_search import Found, at, search
from udify_allennlp.modules.stack_pointer import (
    PointerNodes,
    StackPointer,
    State,
    Steps,
    stack_steps,
)
from udify_allennlp.text.sentence import Columns, Sentence


class StackPointerScores(NamedTuple):
    """The tensors from which the probabilities of steps are computed, step by step."""

    nodes: PointerNodes
    layout: Layout


class StepLosses(NamedTuple):
    """Negative log-probabilities (nats) of the steps of gold trees, `(batch, steps)` each."""

    pointed: torch.Tensor
    """Loss of the node that is pointed to."""
    labelled: torch.Tensor
    """Loss of its label."""
    pops: torch.Tensor
    """True if the step pops."""
    real: torch.Tensor
    """False for padding."""
    known: torch.Tensor
    """True if the step is real and training has seen its label."""


@Decoder.register("udify_stack_pointer_decoder")
class StackPointerDecoder(TreeDecoder):
    """
    The stack-pointer parser (Ma et al. 2018) as in Ahmad et al. (2019), who use it as the decoder
    that is sensitive to word order; see `StackPointer` for its probabilities and `search` for the
    search. The children of a head are attached from left to right, and a node is represented
    together with its head (the released code: grandparents, no siblings).

    Departures: a tree has one child of ROOT, as UD requires, and only this child has the deprel
    `root`.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    arc_dim, deprel_dim : `int`
        Widths of the perceptrons (Ahmad et al. 2019, Table 7: 512 and 128).
    lstm_dim, hidden_dim : `int`
        Widths of the input and the output of the decoder's LSTM (their released code: 256 and 300).
    dropout : `float`
        Dropout rate on the outputs of the perceptrons.
    beam_size : `int`
        Number of hypotheses in the search (their released code: 5).
    activation : `str`
        Activation of the perceptrons; see `ACTIVATIONS`.

    # Raises

    `ConfigurationError` if the data has no deprel, or a parameter is out of its range.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        arc_dim: int = 512,
        deprel_dim: int = 128,
        lstm_dim: int = 256,
        hidden_dim: int = 300,
        dropout: float = 0.33,
        beam_size: int = 5,
        activation: str = "elu",
    ) -> None:
        super().__init__(vocab, input_dim)
        sizes = {
            "arc_dim": arc_dim,
            "deprel_dim": deprel_dim,
            "lstm_dim": lstm_dim,
            "hidden_dim": hidden_dim,
            "beam_size": beam_size,
        }
        for name, size in sizes.items():
            if size < 1:
                raise ConfigurationError(f"decoders.deps.{name} is {size}. It must be at least 1.")
        self.beam_size = beam_size
        self._pop = len(self._labels)
        self.steps = StackPointer(
            input_dim, self._pop, arc_dim, deprel_dim, lstm_dim, hidden_dim, dropout, activation
        )

    def scores(self, encoded: Encoded) -> StackPointerScores:
        rows, layout = self.rows(encoded)
        return StackPointerScores(self.steps.nodes(layout.to_nodes(rows), layout.mask), layout)

    def loss(self, scores: StackPointerScores, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        """
        Returns the cross-entropy of the nodes and of the labels, each for the steps that pop and
        for those that do not: the sum of four means (the released code of Ahmad et al. 2019).
        """
        steps = self.step_losses(scores, gold)
        total = steps.pointed.new_zeros(())
        for losses, counted in ((steps.pointed, steps.real), (steps.labelled, steps.known)):
            for kind in (steps.pops & counted, ~steps.pops & counted):
                total = total + (losses * kind).sum() / kind.sum().clamp(min=1)
        return total

    def step_losses(self, scores: StackPointerScores, gold: dict[str, torch.Tensor]) -> StepLosses:
        """Returns the losses of the steps of the gold trees."""
        nodes, layout = scores
        heads = gold["heads"].cpu()
        lengths = (layout.mask.sum(1) - 1).tolist()
        trees = [stack_steps(sentence_heads.tolist()) for sentence_heads in heads.split(lengths)]
        device = nodes.sources.device
        tops, above, children = (
            torch.nn.utils.rnn.pad_sequence([torch.tensor(tree[i]) for tree in trees], True).to(
                device
            )
            for i in range(len(Steps._fields))
        )
        counts = 2 * torch.tensor(lengths, device=device).unsqueeze(1) + 1
        real = torch.arange(tops.shape[1], device=device) < counts
        pops = children == tops
        deprels = torch.full(layout.nodes.shape, UNSEEN, device=device)
        deprels.view(-1)[layout.places] = gold["deprels"].to(device)
        labels = torch.where(pops, self._pop, deprels.gather(1, children))

        states = self.steps.states(nodes, tops, above)
        pointed = -at(self.steps.pointer(nodes, states), children)
        label_losses = -at(self.steps.labels(nodes, states, children), labels.clamp(min=0))
        return StepLosses(pointed, label_losses, pops, real, real & (labels != UNSEEN))

    def decode(self, scores: StackPointerScores, sentences: Sequence[Sentence]) -> list[Columns]:
        nodes, layout = scores
        trees = self.search(nodes)
        # A beam that keeps the order may end in hypotheses that leave words out.
        failed = trees.scores.isinf().nonzero().flatten()
        if len(failed) > 0:
            again = self.search(nodes.of(failed), ordered=False)
            trees.heads[failed], trees.labels[failed] = again.heads, again.labels
        heads, labels = layout.to_words(trees.heads), layout.to_words(trees.labels)
        return self.columns(heads, labels, sentences)

    def search(self, nodes: PointerNodes, ordered: bool = True) -> Found:
        """Returns the best trees of sentences; see `search` of `pointer_search.py`."""
        products = self.steps.label_products(nodes)

        def advance(
            state: State, tops: torch.Tensor, above: torch.Tensor
        ) -> tuple[torch.Tensor, State]:
            state = self.steps.next_state(nodes, state, tops, above)
            return self.steps.pointer(nodes, state[0]), state

        def label(
            state: State, tops: torch.Tensor, children: torch.Tensor
        ) -> tuple[torch.Tensor, torch.Tensor]:
            label_scores = self.steps.labels_by(products, nodes, state[0], children)
            best, chosen = self.without_root(label_scores[..., : self._pop].clone()).max(2)
            if self._root_label is not None:
                best = torch.where(tops == 0, label_scores[..., self._root_label], best)
            return torch.where(children == tops, label_scores[..., self._pop], best), chosen

        return search(advance, label, nodes.state, nodes.mask, self.beam_size, ordered)
