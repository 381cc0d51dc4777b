"""Learning rates of the thesis."""

from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


def long_warm_up(scheduler: Any, updates: int, epochs: int) -> str:
    """
    Returns the warning for a schedule whose warm-up is longer than a training of this many `epochs`
    with this many `updates` each; empty if there is no reason to warn, or no `warmup_steps`.
    """
    warm_up = getattr(scheduler, "warmup_steps", None) or 0
    left = updates * max(epochs - getattr(scheduler, "frozen_epochs", 0), 0)
    if warm_up <= left or not left:
        return ""
    return (
        f"trainer.learning_rate_scheduler warms up for {warm_up:,} updates, but this training has "
        f"only {left:,}: the learning rates never exceed {left / warm_up:.0%} of their peak. Set "
        f"warmup_steps to {max(left // 10, 1):,}, for example, or train for more epochs."
    )


@LearningRateScheduler.register("udify_inverse_sqrt")
class InverseSqrt(LearningRateScheduler):
    """
    Constant while the encoder is frozen, then a linear warm-up from 0 to `peak` times each group's
    own rate, then `peak * rate * sqrt(warmup / step)` (thesis, equation 1.5, section 3.5, "Noam").
    Steps are counted from the actual end of the last frozen epoch, which depends on the data.

    The thesis does not specify the height of the peak: Table 3.3 names rates and a warm-up of 8,000
    steps, but not the effect of equation 1.5 on the rates. Our choice, `peak` 1: the table's rates
    are those of the peak, and the factor `d^-0.5` of equation 1.5, for a rate that has no base, is
    left out. The released code leaves `d` out too (it is set to 1), but multiplies the rates by `5
    * min(step^-0.5, step * W^-1.5)`, and its `W` is the warm-up and the frozen epoch together:
    8,000 + 21,695 = 29,695 steps. That is highest at step `W`, where it is `5 / sqrt(29,695) = 5 /
    172.3 = 0.0290`: 34 times lower than 1. The decoders' 1e-3 becomes 2.9e-5, the encoder's, which
    is 4e-5 there and 5e-5 in the table, 1.2e-6. `udify_released_schedule.jsonnet` has that
    schedule: `warmup_steps` 29,695, `peak` 0.0290.

    # Parameters

    optimizer : `torch.optim.Optimizer`
    frozen_epochs : `int`
        Number of epochs with constant rates (thesis: 1). Set the same number in `udify_unfreeze`.
    warmup_steps : `Optional[int]`
        Number of batches of the warm-up (thesis: 8,000, about a third of its epoch).
    warmup_epochs : `Optional[float]`
        The warm-up in epochs instead, for data of any size. Exactly one of the two.
    peak : `float`
        Factor of the rates at the end of the warm-up; above 0. The frozen epochs use the rates
        themselves.
    cooldown : `float`
        Share of the epochs, at the end, in which the rates fall linearly to 0; from 0 to 1. Our
        addition: the thesis and the released code have none.
    num_steps_per_epoch, num_epochs : `Optional[int]`
        Given by AllenNLP.

    # Raises

    `ConfigurationError` if not exactly one warm-up is given, a number is negative, `peak` is not
    above 0, or `cooldown` is above 1 or the length of training is unknown.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        frozen_epochs: int = 1,
        warmup_steps: Optional[int] = None,
        warmup_epochs: Optional[float] = None,
        num_steps_per_epoch: Optional[int] = None,
        last_epoch: int = -1,
        peak: float = 1.0,
        cooldown: float = 0.0,
        num_epochs: Optional[int] = None,
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
        if not peak > 0:
            raise ConfigurationError(
                f"trainer.learning_rate_scheduler: peak is {peak}, but must be above 0. Omit it "
                "for rates that peak at those of the optimizer."
            )
        if not 0 <= cooldown <= 1 or (cooldown and None in (num_epochs, num_steps_per_epoch)):
            raise ConfigurationError(
                f"trainer.learning_rate_scheduler: cooldown is {cooldown}. It is a share, from 0 "
                "to 1, and the data loader must have a known length."
            )
        if warmup_epochs is not None:
            if num_steps_per_epoch is None:
                raise ConfigurationError(
                    "warmup_epochs needs a data loader with a known length. Use warmup_steps."
                )
            warmup_steps = round(warmup_epochs * num_steps_per_epoch)
        self.warmup_steps = max(warmup_steps or 0, 1)
        self.frozen_epochs = frozen_epochs
        self.peak = peak
        self.cooldown = cooldown
        self.num_epochs, self.num_steps_per_epoch = num_epochs or 0, num_steps_per_epoch or 0
        self.epochs_done = 0
        self.steps_since_unfreezing = 0

    def factor(self) -> float:
        """Returns the factor of each group's rate in the next update."""
        if self.epochs_done < self.frozen_epochs:
            return 1.0
        step = max(self.steps_since_unfreezing, 1)
        factor = self.peak * min(step / self.warmup_steps, (self.warmup_steps / step) ** 0.5)
        if self.cooldown:
            left = (self.num_epochs - self.frozen_epochs) * self.num_steps_per_epoch - step + 1
            length = self.cooldown * self.num_epochs * self.num_steps_per_epoch
            factor *= min(max(left / length, 0.0), 1.0)
        return factor

    def state_dict(self) -> dict[str, Any]:
        """
        Returns the state without the length of training, which may differ after an interruption.
        """
        length = ("cooldown", "num_epochs", "num_steps_per_epoch")
        return {key: value for key, value in super().state_dict().items() if key not in length}

    def get_values(self) -> list[float]:
        return [rate * self.factor() for rate in self.base_values]

    def step(self, metric: Optional[float] = None) -> None:
        """Takes a step at the end of an epoch."""
        self.epochs_done += 1
        super().step(metric)

    def step_batch(self, batch_num_total: Optional[int] = None) -> None:
        """Takes a step before each update."""
        if self.epochs_done >= self.frozen_epochs:
            self.steps_since_unfreezing += 1
        for group, value in zip(self.optimizer.param_groups, self.get_values()):
            group[self.param_group_field] = value


@LearningRateScheduler.register("udify_warmup")
class Warmup(LearningRateScheduler):
    """
    A linear warm-up from 0 to each group's own rate, which then stays.

    # Parameters

    optimizer : `torch.optim.Optimizer`
    warmup_epochs : `float`
        Above 0 (the released code of Ahmad et al. 2019: 1).
    num_steps_per_epoch : `Optional[int]`
        Given by AllenNLP.

    # Raises

    `ConfigurationError` if the warm-up is not above 0, or its number of steps is unknown.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        warmup_epochs: float = 1.0,
        num_steps_per_epoch: Optional[int] = None,
        last_epoch: int = -1,
    ) -> None:
        super().__init__(optimizer, last_epoch)
        if not warmup_epochs > 0 or num_steps_per_epoch is None:
            raise ConfigurationError(
                f"trainer.learning_rate_scheduler: warmup_epochs is {warmup_epochs}. It must be "
                "above 0, and the data loader must have a known length."
            )
        self.warmup_steps = max(round(warmup_epochs * num_steps_per_epoch), 1)
        self.steps = 0

    def get_values(self) -> list[float]:
        return [rate * min(self.steps / self.warmup_steps, 1.0) for rate in self.base_values]

    def step_batch(self, batch_num_total: Optional[int] = None) -> None:
        """Takes a step before each update."""
        self.steps += 1
        for group, value in zip(self.optimizer.param_groups, self.get_values()):
            group[self.param_group_field] = value
