"""
Decay from the best weights: lower learning rates when training no longer improves, and its end.
"""

import logging
import os
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback

from udify_allennlp.training.callbacks import Callback

logger = logging.getLogger(__name__)


@TrainerCallback.register("udify_decay_from_best")
class DecayFromBest(Callback):
    """
    A callback that restores the best weights and multiplies all learning rates by `factor` when the
    validation metric has not improved for `patience` epochs (the released code of Ahmad et al.
    2019, with 20 checks, one every fifth epoch). Departures: the metric is checked after each
    epoch; a fall of UAS by more than 5 points is not a separate reason.

    It needs a scheduler with its own rates, such as `udify_warmup`.

    # Parameters

    serialization_dir : `str`
    patience : `int`
        Number of epochs, at least 1.
    factor : `float`
        Above 0, below 1.
    most_decays : `int`
        Number of the decay that ends training (the released code: the ninth).
    doubled_every : `int`
        Number of decays after which patience doubles (the released code: 5).

    # Raises

    `ConfigurationError` if a parameter is out of range, or there is no scheduler.
    """

    def __init__(
        self,
        serialization_dir: str,
        patience: int = 100,
        factor: float = 0.75,
        most_decays: int = 9,
        doubled_every: int = 5,
    ) -> None:
        super().__init__(serialization_dir)
        if min(patience, most_decays, doubled_every) < 1 or not 0 < factor < 1:
            raise ConfigurationError(
                f"udify_decay_from_best: patience is {patience}, most_decays {most_decays}, "
                f"doubled_every {doubled_every}, factor {factor}. The first three must be at least "
                "1, factor in (0, 1)."
            )
        self.patience = patience
        self.factor = factor
        self.most_decays = most_decays
        self.doubled_every = doubled_every
        self.decays = 0
        self.last_decay = 0

    def state_dict(self) -> dict[str, Any]:
        return {"decays": self.decays, "last_decay": self.last_decay}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.decays, self.last_decay = state_dict["decays"], state_dict["last_decay"]

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        if trainer._learning_rate_scheduler is None:
            raise ConfigurationError(
                "udify_decay_from_best lowers the rates of a learning_rate_scheduler, but there "
                "is none. Add udify_warmup."
            )

    def after_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, is_primary: bool
    ) -> None:
        tracker, scheduler = trainer._metric_tracker, trainer._learning_rate_scheduler
        assert scheduler is not None
        if tracker.best_epoch is None:
            return  # without development data there is no best epoch to go back to
        patience = self.patience * 2 ** (self.decays // self.doubled_every)
        if epoch - max(tracker.best_epoch, self.last_decay) < patience:
            return
        self.decays += 1
        self.last_decay = epoch
        if self.decays == self.most_decays:
            tracker._patience = 1  # this epoch was no better than the best: training ends here
            return
        trainer._load_model_state(os.path.join(self.serialization_dir, "best.th"))
        scheduler.base_values = [rate * self.factor for rate in scheduler.base_values]
        logger.info("Decay %d: rates are %s from now on", self.decays, scheduler.base_values)
