"""One line an epoch, where AllenNLP's log is not on the screen."""

import datetime
import sys
import time
from typing import Any

from allennlp.training import GradientDescentTrainer

from udify_allennlp.training.callbacks import Callback
from udify_allennlp.training.run_plan import run_plan, updates_of_epoch

_SCORES = 8
"""So many figures of the development data at most, those first that the run is chosen by."""
_LOSSES = ("validation_loss", "validation_reg_loss")
"""Not shown; losses of parts that a model names itself are."""
_UPDATES = 100
"""Updates after which the length of a first epoch is estimated, if it has twice as many."""


class EpochLine(Callback):
    """
    Shows scores, loss, and how long the epoch took and the run will take; at the start what is
    going to be trained, and where the rest is written; in a long first epoch how long it will take.
    `udify` trainers add it themselves in commands without `--verbose`.
    """

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        self._began = self._last = time.monotonic()
        self._updates = 0
        if is_primary:
            _say(run_plan(trainer))
            _say(f"Full log: {self.serialization_dir}/out.log")

    def on_batch(
        self,
        trainer: GradientDescentTrainer,
        *args: Any,
        is_training: bool = True,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if not (is_training and is_primary) or self._updates > _UPDATES:
            return
        if not self._updates:  # the first one is slower than others
            self._first = time.monotonic()
        self._updates += 1
        updates = updates_of_epoch(trainer) if self._updates > _UPDATES else None
        if updates is None or updates < 2 * _UPDATES:
            return
        epoch = (time.monotonic() - self._first) / _UPDATES * updates
        left = epoch * (trainer._num_epochs - trainer._start_after_epochs_completed)
        _say(
            f"At the speed of the first {_UPDATES} updates an epoch takes {_clock(epoch)}, and the "
            f"run {_clock(left)}, without the scoring of development data."
        )

    def after_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, is_primary: bool
    ) -> None:
        now = time.monotonic()
        took, self._last = now - self._last, now
        if not is_primary:
            return
        tracked = trainer._metric_tracker
        first = [name for _, name in tracked.tracked_metrics]
        scores = {
            name.removeprefix("validation_"): value
            for name, value in metrics.items()
            if name.startswith("validation_") and name not in _LOSSES
        }
        names = [name for name in first if name in scores]
        names += [name for name in scores if name not in first]
        parts = [f"{name} {scores[name]:.2f}" for name in names[:_SCORES]]
        if parts and tracked.is_best_so_far():
            parts[0] += " (best)"
        parts.append(f"loss {metrics.get('training_loss', float('nan')):.3f}")
        done = epoch + 1 - trainer._start_after_epochs_completed
        left = (now - self._began) / done * (trainer._num_epochs - epoch - 1)
        parts.append(f"{_clock(took)}, {_clock(left)} left" if left else _clock(took))
        _say(f"epoch {epoch + 1}/{trainer._num_epochs}: {', '.join(parts)}")

    def end(self, is_primary: bool) -> None:
        if is_primary:
            _say(f"The model: {self.serialization_dir}/model.tar.gz, metrics.json beside it")


def _clock(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
