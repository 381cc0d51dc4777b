"""One line per epoch, if AllenNLP's log is not on the screen."""

import datetime
import sys
import time
from typing import Any

from allennlp.training import GradientDescentTrainer

from udify_allennlp.training.callbacks import Callback
from udify_allennlp.training.run_plan import run_plan, updates_of_epoch

_SCORES = 8
"""Maximum number of development scores, beginning with those by which the best epoch is chosen."""
_LOSSES = ("validation_loss", "validation_reg_loss")
"""Metrics that are not shown; losses of parts that a model names itself are."""
_UPDATES = 100
"""
Number of updates after which the length of a first epoch is estimated, if it has twice as many.
"""


class EpochLine(Callback):
    """
    A callback that prints scores, loss, the time of the epoch and the remaining time of the run; at
    the start the plan of the run and the path of its log; in a long first epoch its estimated time.
    `udify` trainers add it by default in commands without `--verbose`.
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
            f"At the speed of the first {_UPDATES} updates, an epoch takes {_clock(epoch)}, and "
            f"the run {_clock(left)}, without the scoring of development data."
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
            _say(f"The model: {self.serialization_dir}/model.tar.gz (scores: metrics.json)")


def _clock(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
