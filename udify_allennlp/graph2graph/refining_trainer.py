"""A trainer that learns in each pass of a refinement."""

from typing import Any, Dict, Iterator, Mapping, Union, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data.data_loaders import TensorDict
from allennlp.nn.util import move_to_device
from allennlp.training import Trainer

from udify_allennlp.graph2graph.refinement import RefinementModel
from udify_allennlp.training.epoch import Step
from udify_allennlp.training.trainer import UdifyTrainer


@Trainer.register("udify_refining", constructor="from_partial_objects")
class RefiningTrainer(UdifyTrainer):
    """
    One update for each pass over a batch, of the sentences that are still refined (Mohammadshahi
    2023, section 3.3.3: "trained separately on each refinement iteration"; one step each is the
    released code's). Schedules count batches, not updates. Takes what `udify` takes.

    # Raises

    `ConfigurationError` if the model is no `udify_refinement`, or several processes train: their
    batches need not have the same number of passes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.model, RefinementModel):
            raise ConfigurationError(
                "trainer.type udify_refining trains a model of type udify_refinement. "
                "Take the trainer udify."
            )
        if self._distributed:
            raise ConfigurationError(
                "trainer.type udify_refining trains in one process. Take the trainer udify, which "
                "learns from the sum of all passes, or leave distributed out."
            )

    def train_step(self, *batches: TensorDict) -> Step:
        model = cast(RefinementModel, self.model)
        running: list = [
            model.steps(**move_to_device(cast(Dict[str, Any], batch), self.cuda_device))
            for batch in batches
        ]
        first = Step([], None)
        while running:
            outputs = self.accumulate(*running)
            norm = self.update()
            first = first if first.outputs else Step(outputs, norm)
            running = [one for one, out in zip(running, outputs) if not out["is_last"]]
        self.done()
        return first

    def batch_outputs(
        self, batch: Union[TensorDict, Iterator[Dict[str, Any]]], for_training: bool
    ) -> Dict[str, torch.Tensor]:
        """Of a batch, or of the next of its passes."""
        if isinstance(batch, Mapping):
            return super().batch_outputs(cast(TensorDict, batch), for_training)
        self._leave_interruption()  # as for any batch of training
        with self.autocast():
            return next(batch)
