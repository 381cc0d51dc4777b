"""Callbacks around the epochs of a training run."""

import logging
from collections.abc import Callable
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import TensorDict
from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TensorBoardCallback, TrainerCallback

from udify_allennlp.text.extension_points import ExtensionPoint

logger = logging.getLogger(__name__)

RUN_CALLBACKS: ExtensionPoint[Callable[[Optional[str]], TrainerCallback]] = ExtensionPoint(
    "callbacks of every run"
)
"""Classes of callbacks that `udify` trainers add by default; each takes the run folder."""


class Callback(TrainerCallback):
    """AllenNLP's callback with its lists of arguments written once."""

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        self.start(trainer, is_primary)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        self.after_epoch(trainer, metrics, epoch, is_primary)

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any] = None,  # type: ignore[assignment]
        epoch: int = None,  # type: ignore[assignment]
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if metrics is not None:  # else training ended in an error, or was interrupted
            self.end(is_primary)

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        """Runs before the first epoch."""

    def after_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, is_primary: bool
    ) -> None:
        """Runs after each epoch; the first is 0."""

    def end(self, is_primary: bool) -> None:
        """Runs after the last epoch, unless training ended with an error."""


@TrainerCallback.register("udify_unfreeze")
class Unfreeze(Callback):
    """
    Gradual unfreezing: the encoder's weights are frozen for the first epochs (thesis, section
    3.4.2). No gradient is computed for them meanwhile, so those epochs are fast.

    # Parameters

    serialization_dir : `str`
    frozen_epochs : `int`
        Thesis: 1. Set the same number in `udify_inverse_sqrt`.
    prefix : `str`
        Prefix of the names of the frozen parameters.

    # Raises

    `ConfigurationError` if no parameter has the prefix.
    """

    def __init__(
        self, serialization_dir: str, frozen_epochs: int = 1, prefix: str = "embedder."
    ) -> None:
        super().__init__(serialization_dir)
        self.frozen_epochs = frozen_epochs
        self.prefix = prefix

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        self._set(trainer, trainer._start_after_epochs_completed)

    def after_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, is_primary: bool
    ) -> None:
        self._set(trainer, epoch + 1)

    def _set(self, trainer: GradientDescentTrainer, epochs_completed: int) -> None:
        trainable = epochs_completed >= self.frozen_epochs
        has_match = False
        for name, parameter in trainer.model.named_parameters():
            if name.startswith(self.prefix):
                has_match = True
                parameter.requires_grad_(trainable)
                if not trainable:
                    parameter.grad = None
        if not has_match:
            raise ConfigurationError(
                f"udify_unfreeze: no parameter's name starts with {self.prefix!r}. Correct the "
                "prefix."
            )
        logger.info(
            "%s* is %s after %d epochs",
            self.prefix,
            "trained" if trainable else "frozen",
            epochs_completed,
        )


@TrainerCallback.register("udify_tensorboard")
class TensorBoard(TensorBoardCallback):
    """
    AllenNLP's `tensorboard`, which also logs the norm of the gradients before they are clipped,
    and one learning rate for each parameter group instead of one for each of the encoder's
    parameters. All parameters are those of AllenNLP's.

    Between two logged steps it does not wait for a GPU; with `should_log_parameter_statistics` or
    `distribution_interval` it does, for each number. `batch_size` counts windows of the encoder:
    one for a sentence of up to 512 wordpieces.
    """

    def log_batch(
        self,
        batch_grad_norm: Optional[float],
        metrics: dict[str, float],
        batch_group: list[TensorDict],
        param_updates: Optional[dict[str, torch.Tensor]],
        batch_number: int,
    ) -> None:
        super().log_batch(batch_grad_norm, metrics, batch_group, param_updates, batch_number)
        # With the statistics of all parameters the parent logs the norm.
        if batch_grad_norm is None or self._should_log_parameter_statistics:
            return
        if self._should_log_this_batch():
            self.log_scalars({"gradient_norm": batch_grad_norm})

    def _log_learning_rates(self) -> None:
        assert self.trainer is not None
        parts = {
            parameter: name.split(".")[0]
            for name, parameter in self.trainer.model.named_parameters()
        }
        rates = {}
        for index, group in enumerate(self.trainer.optimizer.param_groups):
            name = "_".join(
                [str(index), *sorted({parts[parameter] for parameter in group["params"]})]
            )
            trained = any(parameter.requires_grad for parameter in group["params"])
            rates[name] = group["lr"] if trained else 0.0
        self.log_scalars(rates, log_prefix="learning_rate")
