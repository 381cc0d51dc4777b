"""Steps of the transition parsers of a batch, as tensors."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.graph2graph.transitions import LEFT, NOBODY, RIGHT, States, oracle
from udify_allennlp.modules.layout import Layout


class BatchSteps(NamedTuple):
    """Steps of the sentences of a batch, each with the nodes that it reads."""

    sentences: torch.Tensor
    """`(steps,)`: the sentence of each step."""
    tops: torch.Tensor
    """`(steps, 3)`: see `Steps`."""
    actions: torch.Tensor
    """`(steps,)`."""
    labels: torch.Tensor
    """`(steps,)`: the label of the arc; `UNSEEN` if there is none, or an unknown one."""

    @classmethod
    def one_after_the_other(cls, several: Sequence["BatchSteps"]) -> "BatchSteps":
        return cls(*(torch.cat(values) for values in zip(*several)))

    def where(self, kept: torch.Tensor) -> "BatchSteps":
        """Returns the steps where `kept`, `(steps,)`, is True."""
        places = kept.nonzero().squeeze(1)  # asked once: a GPU is waited for
        return BatchSteps(*(x.index_select(0, places) for x in self))

    @property
    def is_arc(self) -> torch.Tensor:
        """`(steps,)`: True on LEFT and RIGHT."""
        return self.actions >= LEFT

    @property
    def arcs(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Heads and dependents, `(steps,)` each; `NOBODY` where a step makes no arc."""
        second, top, _ = self.tops.T
        is_left, is_right = self.actions == LEFT, self.actions == RIGHT
        heads = torch.where(is_left, top, torch.where(is_right, second, NOBODY))
        dependents = torch.where(is_left, second, torch.where(is_right, top, NOBODY))
        return heads, dependents

    def numbers(self) -> torch.Tensor:
        """Returns the number of earlier steps in the same sentence, `(steps,)`."""
        return self._before(torch.ones_like(self.actions))

    def arcs_before(self) -> torch.Tensor:
        """Returns the number of arcs made before each step, `(steps,)`."""
        return self._before(self.is_arc.long())

    def take(self, states: States) -> None:
        """Takes one step in each of the `sentences`."""
        rows = (self.sentences, self.actions, self.labels)
        states.apply_to(*torch.stack(rows).cpu().numpy())

    def label(self, states: States) -> None:
        """Sets the labels of the arcs that these steps have made."""
        rows = (self.sentences, self.arcs[1], self.labels)
        sentences, dependents, labels = torch.stack(rows).cpu().numpy()
        states.labels[sentences, dependents] = labels

    def _before(self, values: torch.Tensor) -> torch.Tensor:
        # The steps of a sentence stand one after the other.
        counts = torch.bincount(self.sentences)
        sums = values.cumsum(0) - values
        return sums - sums[counts.cumsum(0) - counts][self.sentences]


def gold_steps(layout: Layout, gold: dict[str, torch.Tensor]) -> BatchSteps:
    """
    Returns the oracle's steps, one sentence after the other, for gold `heads` and `deprels`
    `(words,)`; on the device of the layout.
    """
    device = layout.nodes.device
    lengths = (layout.mask.sum(1) - 1).tolist()
    trees = torch.split(gold["heads"].cpu(), lengths)
    labels = torch.split(gold["deprels"].cpu(), lengths)
    sentences: list[int] = []
    tops: list[tuple[int, int, int]] = []
    actions: list[int] = []
    step_labels: list[int] = []
    for number, (heads, deprels) in enumerate(zip(trees, labels)):
        steps = oracle(tuple(heads.tolist()))
        sentences += [number] * len(steps.actions)
        tops += steps.tops
        actions += steps.actions
        names = deprels.tolist()
        step_labels += [UNSEEN if d == NOBODY else names[d - 1] for d in steps.dependents]
    return BatchSteps(
        *(torch.tensor(x, device=device) for x in (sentences, tops, actions, step_labels))
    )
