"""A model with several passes over a batch, each with the graph made so far."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import torch

from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.text.sentence import Columns


class Pass(NamedTuple):
    """One pass over a batch, or over some of its sentences."""

    loss: Optional[torch.Tensor] = None
    is_last: bool = False
    update: bool = True
    """True if training makes an update after it, without waiting for the next passes."""
    places: Sequence[int] = ()
    """The sentences of the batch that it covers."""
    columns: Sequence[Columns] = ()
    """Its predictions for each of them, which replace those of earlier passes; none in training."""


class StepwiseModel(MultitaskModel):
    """
    A `udify_multitask` in several passes. The trainer `udify_refining` learns in each of them, or
    as they specify; any other learns once per batch, from the sum of their losses.
    """

    def passes(self, part: BatchSubset) -> Iterator[Pass]:
        """
        Yields the passes over a batch, one after the other: each is made on demand, with the
        current weights.
        """
        raise NotImplementedError

    def check_training(self) -> None:
        """
        Checks the settings before training.

        # Raises

        `ConfigurationError` if no pass learns.
        """

    def steps(self, **fields: Any) -> Iterator[dict[str, Any]]:
        """
        Yields the `loss` of each pass over a batch, whose form is that of `forward`, with `is_last`
        and `update`.
        """
        for one_pass in self.passes(self.part(**fields)):
            yield {"loss": one_pass.loss, "is_last": one_pass.is_last, "update": one_pass.update}

    def _forward(self, part: BatchSubset) -> dict[str, Any]:
        losses: list[torch.Tensor] = []
        columns: list[Columns] = [{} for _ in part.sentences]
        for one_pass in self.passes(part):
            if one_pass.loss is not None:
                losses.append(one_pass.loss)
            for place, new in zip(one_pass.places, one_pass.columns):
                columns[place].update(new)
        total: Optional[torch.Tensor] = None
        if losses:
            # Outside training, of a pass, so that numbers of passes can be compared.
            total = torch.stack(losses).sum() if self.training else torch.stack(losses).mean()
        return self.output(total, columns, part)
