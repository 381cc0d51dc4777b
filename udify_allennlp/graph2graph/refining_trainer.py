"""A trainer that learns in each of several passes over a batch."""

from collections.abc import Iterator, Mapping
from typing import Any, Union, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data.data_loaders import TensorDict
from allennlp.nn.util import move_to_device
from allennlp.training import Trainer

from udify_allennlp.graph2graph.stepwise import StepwiseModel
from udify_allennlp.training.epoch import Step
from udify_allennlp.training.trainer import UdifyTrainer


@Trainer.register("udify_refining", constructor="from_partial_objects")
class RefiningTrainer(UdifyTrainer):
    """
    A trainer for several passes of a model over a batch, none of which is kept in memory when the
    next one is made. `udify_refinement`: an update for each (Mohammadshahi 2023, section 3.3.3:
    "trained separately on each refinement iteration"; one step each is the released code's).
    `udify_graph_transitions`: one update after the last. Schedules count batches, not updates.
    Parameters are those of `udify`.

    # Raises

    `ConfigurationError` if the model has no passes, or several processes train: their batches may
    have different numbers of passes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.model, StepwiseModel):
            raise ConfigurationError(
                "trainer.type udify_refining trains a model of type udify_refinement or "
                "udify_graph_transitions. Use the trainer udify."
            )
        self.model.check_training()
        if self._distributed:
            raise ConfigurationError(
                "trainer.type udify_refining trains in one process. Use the trainer udify, which "
                "learns from the sum of all passes, or remove distributed."
            )

    def train_step(self, *batches: TensorDict) -> Step:
        model = cast(StepwiseModel, self.model)
        running: list[tuple[int, Any]] = [
            (number, model.steps(**move_to_device(cast(dict[str, Any], batch), self.cuda_device)))
            for number, batch in enumerate(batches)
        ]
        losses: list[list[torch.Tensor]] = [[] for _ in batches]
        norm, is_fresh, updates = None, True, 0
        while running:
            steps = [steps for _, steps in running]
            outputs = self.accumulate(*steps, fresh=is_fresh, count=len(batches))
            for (number, _), output in zip(running, outputs):
                losses[number].append(output["loss"].detach())
            is_fresh = all(bool(output["update"]) for output in outputs)
            running = [one for one, output in zip(running, outputs) if not output["is_last"]]
            if is_fresh or not running:
                norm = self.update()
                updates += 1
        self.done()
        # What an update is made of, in the mean of updates.
        return Step(
            [{"loss": torch.stack(batch_losses).sum() / updates} for batch_losses in losses], norm
        )

    def batch_outputs(
        self, batch: Union[TensorDict, Iterator[dict[str, Any]]], for_training: bool
    ) -> dict[str, torch.Tensor]:
        """Returns the outputs of a batch, or of the next of its passes."""
        if isinstance(batch, Mapping):
            return super().batch_outputs(cast(TensorDict, batch), for_training)
        self._leave_interruption()  # as for any batch of training
        with self.autocast():
            return next(batch)
