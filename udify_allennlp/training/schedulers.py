"""Learning rates of the thesis."""

from typing import List, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


@LearningRateScheduler.register("udify_inverse_sqrt")
class InverseSqrt(LearningRateScheduler):
    """
    Constant while the encoder is frozen, then a linear warm-up from 0 to each group's own rate,
    then `rate * sqrt(warmup / step)` (thesis, sections 1 and 3.5, "Noam").

    Steps are counted from the end of the last frozen epoch, whenever that comes: the data decides,
    not a number typed in. Our choice: the peak is the group's rate itself, so the factor
    `d^-0.5` of Vaswani et al. (2017), which the base rates of Table 3.3 replace, is left out.

    # Parameters

    optimizer : `torch.optim.Optimizer`
    frozen_epochs : `int`
        Epochs of constant rates (thesis: 1). Give `udify_unfreeze` the same number.
    warmup_steps : `Optional[int]`
        Batches of the warm-up (thesis: 8,000, about a third of its epoch).
    warmup_epochs : `Optional[float]`
        The warm-up in epochs instead, for data of any size. Exactly one of the two.
    num_steps_per_epoch : `Optional[int]`
        Given by AllenNLP.

    # Raises

    `ConfigurationError` if not exactly one warm-up is given, or a number is negative.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        frozen_epochs: int = 1,
        warmup_steps: Optional[int] = None,
        warmup_epochs: Optional[float] = None,
        num_steps_per_epoch: Optional[int] = None,
        last_epoch: int = -1,
    ) -> None:
        super().__init__(optimizer, last_epoch)
        if (warmup_steps is None) == (warmup_epochs is None):
            raise ConfigurationError(
                "trainer.learning_rate_scheduler needs exactly one of warmup_steps and "
                "warmup_epochs."
            )
        if frozen_epochs < 0 or (warmup_steps or 0) < 0 or (warmup_epochs or 0) < 0:
            raise ConfigurationError(
                "trainer.learning_rate_scheduler: frozen_epochs and the warm-up cannot be negative."
            )
        if warmup_epochs is not None:
            if num_steps_per_epoch is None:
                raise ConfigurationError(
                    "warmup_epochs needs a data loader that knows its length. Use warmup_steps."
                )
            warmup_steps = round(warmup_epochs * num_steps_per_epoch)
        self.warmup_steps = max(warmup_steps or 0, 1)
        self.frozen_epochs = frozen_epochs
        self.epochs_done = 0
        self.steps_since_unfreezing = 0

    def factor(self) -> float:
        """What each group's rate is multiplied with in the next update."""
        if self.epochs_done < self.frozen_epochs:
            return 1.0
        step = max(self.steps_since_unfreezing, 1)
        return min(step / self.warmup_steps, (self.warmup_steps / step) ** 0.5)

    def get_values(self) -> List[float]:
        return [rate * self.factor() for rate in self.base_values]

    def step(self, metric: Optional[float] = None) -> None:
        """At the end of an epoch."""
        self.epochs_done += 1
        super().step(metric)

    def step_batch(self, batch_num_total: Optional[int] = None) -> None:
        """Before each update."""
        if self.epochs_done >= self.frozen_epochs:
            self.steps_since_unfreezing += 1
        for group, value in zip(self.optimizer.param_groups, self.get_values()):
            group[self.param_group_field] = value
