"""What happens around the epochs of a training run."""

import logging
import os
import random
from collections.abc import Callable
from typing import Any, Optional, cast

import numpy
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
"""Classes of callbacks that `udify` trainers add by themselves; each takes the run's folder."""


@TrainerCallback.register("udify_unfreeze")
class Unfreeze(TrainerCallback):
    """
    Gradual unfreezing: the encoder's weights stay as they are for the first epochs (thesis,
    section 3.4.2). No gradient is computed for them meanwhile, so those epochs are fast.

    # Parameters

    serialization_dir : `str`
    frozen_epochs : `int`
        Thesis: 1. Give `udify_inverse_sqrt` the same number.
    prefix : `str`
        Of the names of the parameters that are frozen.

    # Raises

    `ConfigurationError` if no parameter has the prefix.
    """

    def __init__(
        self, serialization_dir: str, frozen_epochs: int = 1, prefix: str = "embedder."
    ) -> None:
        super().__init__(serialization_dir)
        self.frozen_epochs = frozen_epochs
        self.prefix = prefix

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        self._set(trainer, trainer._start_after_epochs_completed)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        self._set(trainer, epoch + 1)

    def _set(self, trainer: GradientDescentTrainer, epochs_completed: int) -> None:
        trainable = epochs_completed >= self.frozen_epochs
        found = False
        for name, parameter in trainer.model.named_parameters():
            if name.startswith(self.prefix):
                found = True
                parameter.requires_grad_(trainable)
                if not trainable:
                    parameter.grad = None
        if not found:
            raise ConfigurationError(
                f"udify_unfreeze: no parameter's name starts with {self.prefix!r}."
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

    Between two steps that it logs, a GPU is not waited for; with `should_log_parameter_statistics`
    or `distribution_interval` it is, for each number. `batch_size` counts windows of the encoder:
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
            name = "_".join([str(index), *sorted({parts[each] for each in group["params"]})])
            trained = any(each.requires_grad for each in group["params"])
            rates[name] = group["lr"] if trained else 0.0
        self.log_scalars(rates, log_prefix="learning_rate")


class RunState(TrainerCallback):
    """
    What AllenNLP leaves out of a checkpoint: the random generators and the place in the data of a
    loader that has a `state_dict`, at the start of the epoch and now, the number of batches done,
    the scaler of mixed precision, the losses of the batches of an epoch that is not over, the
    metrics of the last one that is, and whether its weights are the best so far.

    With it a run that is killed and taken up by `--recover` draws the same batches, input masks
    and dropout as one that was left alone, and reports the same. `udify` trainers add it
    themselves.
    """

    def __init__(self, serialization_dir: Optional[str]) -> None:
        super().__init__(serialization_dir or "")
        self.trainer: Optional[GradientDescentTrainer] = None
        self.epoch_start: dict[str, Any] = {}
        self.data_start: Optional[dict[str, Any]] = None
        self.metrics: dict[str, Any] = {}
        self.restored: dict[str, Any] = {}

    def state_dict(self) -> dict[str, Any]:
        assert self.trainer is not None
        trainer: Any = self.trainer
        scaler = trainer._scaler
        losses = trainer.running_loss
        return {
            "epoch_start": self.epoch_start,
            "now": random_state(),
            "data_start": self.data_start,
            "data_now": data_state(trainer.data_loader),
            "total_batches": trainer._total_batches_completed,
            "scaler": None if scaler is None else scaler.state_dict(),
            "losses": (losses.count, losses.total),
            "parameters": _names(trainer),
            "metrics": self.metrics,
            # When AllenNLP, next, makes the weights of this checkpoint the best ones.
            "best": trainer._batches_in_epoch_completed == 0
            and trainer._should_validate_this_epoch
            and trainer._metric_tracker.is_best_so_far(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """`ConfigurationError` if the optimizer's state, without names, is of other weights."""
        if state_dict.get("parameters") != _names(self.trainer):
            raise ConfigurationError(
                f"The run in {self.serialization_dir} was begun with another model or an earlier "
                "release, whose weights stand in another order. Finish it with that release, or "
                "begin anew: --force instead of --recover."
            )
        self.restored = state_dict
        self.metrics = state_dict.get("metrics", {})

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        if not self.restored or not trainer._serialization_dir:
            return
        best = os.path.join(trainer._serialization_dir, "best.th")
        if self.restored.get("best") and is_primary:
            # The run may have been killed before it came to that.
            _save_best(trainer, best)
        if os.path.exists(best):
            # AllenNLP notes it one checkpoint late, and as the path of the time.
            trainer._best_model_filename = best

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        self.metrics = dict(metrics)


def data_state(loader: Any) -> Optional[dict[str, Any]]:
    """The place of a loader in streamed data; `None` for a loader without `state_dict`."""
    found: Optional[dict[str, Any]] = loader.state_dict() if hasattr(loader, "state_dict") else None
    return found


def _names(trainer: Any) -> list[str]:
    return [name for name, _ in trainer.model.named_parameters()]


def _save_best(trainer: GradientDescentTrainer, path: str) -> None:
    average = trainer._moving_average
    if average is None:
        trainer._save_model_state(path)
        return
    average.assign_average_value()
    try:
        trainer._save_model_state(path)
    finally:
        average.restore()


def random_state() -> dict[str, Any]:
    """The states of all generators, in types that `torch.load` takes without running code."""
    kind, keys, position, has_gauss, gauss = cast(tuple[Any, ...], numpy.random.get_state())
    return {
        "python": random.getstate(),
        "numpy": (kind, torch.tensor(keys.astype("int64")), position, has_gauss, gauss),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def set_random_state(state: dict[str, Any]) -> None:
    """Set all generators to what `random_state` gave."""
    version, internal, gauss_next = state["python"]
    random.setstate((version, tuple(internal), gauss_next))
    kind, keys, position, has_gauss, gauss = state["numpy"]
    numpy.random.set_state((kind, keys.numpy().astype("uint32"), position, has_gauss, gauss))
    torch.set_rng_state(state["torch"].cpu())
    if state["cuda"] and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([generator.cpu() for generator in state["cuda"]])
