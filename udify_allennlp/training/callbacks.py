"""What happens around the epochs of a training run."""

import logging
import random
from typing import Any, Dict, Optional, Tuple, cast

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback

logger = logging.getLogger(__name__)


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
        metrics: Dict[str, Any],
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


class RunState(TrainerCallback):
    """
    What AllenNLP leaves out of a checkpoint: the random generators, at the start of the epoch and
    now, the number of batches done, and the scaler of mixed precision.

    With it a run that is killed and taken up by `--recover` draws the same batches, input masks
    and dropout as one that was left alone. `udify` trainers add it themselves.
    """

    def __init__(self, serialization_dir: Optional[str]) -> None:
        super().__init__(serialization_dir or "")
        self.trainer: Optional[GradientDescentTrainer] = None
        self.epoch_start: Dict[str, Any] = {}
        self.restored: Dict[str, Any] = {}

    def state_dict(self) -> Dict[str, Any]:
        assert self.trainer is not None
        scaler = self.trainer._scaler
        return {
            "epoch_start": self.epoch_start,
            "now": random_state(),
            "total_batches": self.trainer._total_batches_completed,
            "scaler": None if scaler is None else scaler.state_dict(),
        }

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        self.restored = state_dict


def random_state() -> Dict[str, Any]:
    """The states of all generators, in types that `torch.load` takes without running code."""
    kind, keys, position, has_gauss, gauss = cast(Tuple[Any, ...], numpy.random.get_state())
    return {
        "python": random.getstate(),
        "numpy": (kind, torch.tensor(keys.astype("int64")), position, has_gauss, gauss),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def set_random_state(state: Dict[str, Any]) -> None:
    """Set all generators to what `random_state` gave."""
    version, internal, gauss_next = state["python"]
    random.setstate((version, tuple(internal), gauss_next))
    kind, keys, position, has_gauss, gauss = state["numpy"]
    numpy.random.set_state((kind, keys.numpy().astype("uint32"), position, has_gauss, gauss))
    torch.set_rng_state(state["torch"].cpu())
    if state["cuda"] and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([generator.cpu() for generator in state["cuda"]])
