"""One line an epoch, where AllenNLP's log is not on the screen."""

import datetime
import sys
import time
from typing import Any, Dict

from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback

_SCORES = 8
"""So many figures of the development data at most, those first that the run is chosen by."""


class EpochLine(TrainerCallback):
    """
    Shows scores, loss, and how long the epoch took and the run will take; where the rest is
    written, at the start. `udify` trainers add it themselves in commands without `--verbose`.
    """

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        self._began = self._last = time.monotonic()
        if is_primary:
            _say(f"All else that is said of this run: {self.serialization_dir}/out.log")

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: Dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        now = time.monotonic()
        took, self._last = now - self._last, now
        if not is_primary:
            return
        tracked = trainer._metric_tracker
        first = [name for _, name in tracked.tracked_metrics]
        found = {
            name.removeprefix("validation_"): value
            for name, value in metrics.items()
            if name.startswith("validation_") and not name.endswith("loss")
        }
        names = [name for name in first if name in found]
        names += [name for name in found if name not in first]
        parts = [f"{name} {found[name]:.2f}" for name in names[:_SCORES]]
        if parts and tracked.is_best_so_far():
            parts[0] += " (best)"
        parts.append(f"loss {metrics.get('training_loss', float('nan')):.3f}")
        done = epoch + 1 - trainer._start_after_epochs_completed
        left = (now - self._began) / done * (trainer._num_epochs - epoch - 1)
        parts.append(f"{_clock(took)}, {_clock(left)} left" if left else _clock(took))
        _say(f"epoch {epoch + 1}/{trainer._num_epochs}: {', '.join(parts)}")

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: Dict[str, Any] = None,  # type: ignore[assignment]
        epoch: int = None,  # type: ignore[assignment]
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if is_primary and metrics is not None:  # None: training ended in an error
            _say(f"The model: {self.serialization_dir}/model.tar.gz, metrics.json beside it")


def _clock(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
