"""A run that is killed and resumed by `--recover` continues as if it had not been interrupted."""

import os
import random
from typing import Any, Optional, cast

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer

from udify_allennlp.training.callbacks import Callback
from udify_allennlp.training.epoch import SteppingTrainer, run_epoch


class RecoveringTrainer(SteppingTrainer):
    """
    A trainer whose recovered run continues exactly where the interrupted one stopped: same batches,
    masks, dropout, rates. Finished epochs are skipped without reading their batches. In a
    distributed run every process resumes with the first one's random generators, so masks and
    dropout of the others differ from those of an uninterrupted run.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._run_state = RunState(self._serialization_dir)
        self._run_state.trainer = self
        self._callbacks.append(self._run_state)
        self._resuming: dict[str, Any] = {}

    def _maybe_restore_checkpoint(self) -> None:
        super()._maybe_restore_checkpoint()
        self._resuming = dict(self._run_state.restored)
        if self._resuming.get("scaler") is not None and self._scaler is not None:
            self._scaler.load_state_dict(self._resuming["scaler"])
        if self._metric_tracker.should_stop_early():
            # The run was out of patience: AllenNLP would train for one epoch more.
            self._num_epochs = self._start_after_epochs_completed

    def _train_epoch(self, epoch: int) -> dict[str, float]:
        if self._resuming:
            if self._epochs_completed < self._start_after_epochs_completed:
                return {}
            self._enter_interrupted_epoch()
        self._run_state.epoch_start = random_state()
        self._run_state.data_start = data_state(self.data_loader)
        metrics = run_epoch(self, epoch)
        self._leave_interruption()  # where all batches of this epoch were done before it
        return metrics

    def _enter_interrupted_epoch(self) -> None:
        done = self._start_after_batches_in_epoch_completed
        data = self._resuming.get("data_start" if done else "data_now")
        if data is not None:
            loader: Any = self.data_loader
            loader.load_state_dict(data)
        # The parent counts the batches of this epoch again as it passes over them.
        self._total_batches_completed = self._resuming["total_batches"] - done
        if done:
            set_random_state(self._resuming["epoch_start"])
            self.losses_before = self._resuming.get("losses", (0, ()))
            self._resuming = {"now": self._resuming["now"]}
        else:
            self._leave_interruption()

    def _leave_interruption(self) -> None:
        if "now" in self._resuming:
            set_random_state(self._resuming["now"])
            self._resuming = {}


class RunState(Callback):
    """
    The state of a run that AllenNLP's checkpoints lack: the random generators and the position in
    the data of a loader that has a `state_dict`, at the start of the epoch and now, the number of
    batches done, the scaler of mixed precision, the losses of the batches of an unfinished epoch,
    the metrics of the last finished one, and whether its weights are the best so far.

    With it, a run that is killed and resumed by `--recover` draws the same batches, input masks and
    dropout as an uninterrupted one, and reports the same. `udify` trainers add it by default.
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
        """
        Raises `ConfigurationError` if the optimizer's state, which has no names, belongs to other
        weights.
        """
        if state_dict.get("parameters") != _names(self.trainer):
            raise ConfigurationError(
                f"The run in {self.serialization_dir} was started with another model or an earlier "
                "release, whose weights have another order. Finish it with that release, or start "
                "again: --force instead of --recover."
            )
        self.restored = state_dict
        self.metrics = state_dict.get("metrics", {})

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        if not self.restored or not trainer._serialization_dir:
            return
        best = os.path.join(trainer._serialization_dir, "best.th")
        if self.restored.get("best") and is_primary:
            # The run may have been killed before it came to that.
            _save_best(trainer, best)
        if os.path.exists(best):
            # AllenNLP notes it one checkpoint late, and as the path of the time.
            trainer._best_model_filename = best

    def after_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, is_primary: bool
    ) -> None:
        self.metrics = dict(metrics)


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
    """
    Returns the states of all generators, in types that `torch.load` reads without running code.
    """
    kind, keys, position, has_gauss, gauss = cast(tuple[Any, ...], numpy.random.get_state())
    return {
        "python": random.getstate(),
        "numpy": (kind, torch.tensor(keys.astype("int64")), position, has_gauss, gauss),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def set_random_state(state: dict[str, Any]) -> None:
    """Sets all generators to the result of `random_state`."""
    version, internal, gauss_next = state["python"]
    random.setstate((version, tuple(internal), gauss_next))
    kind, keys, position, has_gauss, gauss = state["numpy"]
    numpy.random.set_state((kind, keys.numpy().astype("uint32"), position, has_gauss, gauss))
    torch.set_rng_state(state["torch"].cpu())
    if state["cuda"] and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([generator.cpu() for generator in state["cuda"]])


def data_state(loader: Any) -> Optional[dict[str, Any]]:
    """
    Returns the position of a loader in streamed data; `None` for a loader without `state_dict`.
    """
    state: Optional[dict[str, Any]] = loader.state_dict() if hasattr(loader, "state_dict") else None
    return state
