"""One epoch of training like AllenNLP's, but without waiting for a GPU."""

import functools
import logging
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import torch
import torch.distributed as dist
from allennlp.common import Tqdm
from allennlp.common import util as common_util
from allennlp.data.data_loaders import TensorDict
from allennlp.models import Model
from allennlp.nn.util import dist_reduce_sum
from allennlp.training import GradientDescentTrainer, Trainer
from allennlp.training import util as training_util
from allennlp.training.callbacks import ConsoleLoggerCallback, TrainerCallback
from allennlp.training.callbacks.log_writer import LogWriterCallback

from udify_allennlp.compat.console_log import quiet
from udify_allennlp.kernels.memory import give_back
from udify_allennlp.training.epoch_line import EpochLine
from udify_allennlp.training.optimizers import check_groups
from udify_allennlp.training.run_plan import updates_of_epoch
from udify_allennlp.training.running_loss import RunningLoss

# On a CPU. More often makes training slower, by 5% at 10: the memory has to be fetched again.
STEPS_BEFORE_TRIM = 20
logger = logging.getLogger(__name__)


class Step(NamedTuple):
    """The results of one update."""

    outputs: list[dict[str, torch.Tensor]]
    """The model's outputs, batch by batch, with `loss`."""
    gradient_norm: Optional[torch.Tensor]


class SteppingTrainer(GradientDescentTrainer):
    """
    A trainer whose epoch is `run_epoch`, which calls `train_step` for each group of batches.
    Regular expressions of `optimizer.parameter_groups` without a match are rejected.
    """

    running_loss: RunningLoss
    losses_before: tuple[int, Sequence[float]] = (0, ())
    """`count` and `total` of the epoch's batches that the recovered run had already done."""

    @classmethod
    # Configs are read by the signature of AllenNLP's.
    @functools.wraps(GradientDescentTrainer.from_partial_objects.__func__)
    def from_partial_objects(cls, model: Model, **settings: Any) -> Trainer:
        if "optimizer" in settings:
            check_groups(model, settings["optimizer"])
        parent = GradientDescentTrainer.from_partial_objects.__func__
        return parent(cls, model=model, **settings)

    def train_step(self, *batches: TensorDict) -> Step:
        """Learns from `batches`: one group, for any number of updates."""
        raise NotImplementedError

    def progress(self, batch: TensorDict) -> int:
        """
        Returns the progress through an epoch that a batch makes, in the loader's `unit`; without
        one, in batches.
        """
        count = getattr(self.data_loader, "count", None)
        return int(count(batch)) if count is not None else 1


def run_epoch(trainer: SteppingTrainer, epoch: int) -> dict[str, float]:
    """
    Trains on every batch of the loader that a recovered run has not done yet. Returns the metrics
    of the whole epoch.

    Departure from AllenNLP: it fetches the loss and the norm of the gradients at every step, which
    empties the queue of a GPU. Here they are fetched once a second and for the steps that
    TensorBoard logs; at every step only for a callback that may read every one.

    # Raises

    `NanLoss` if a loss is NaN.
    """
    logger.info("Epoch %d/%d", epoch, trainer._num_epochs - 1)
    memory = _memory()
    trainer._pytorch_model.train()
    count, total = trainer.losses_before
    running = RunningLoss(_must_be_exact(trainer), count, total, epoch + 1)
    trainer.running_loss, trainer.losses_before = running, (0, ())
    logger.info("Training")
    bar = _progress(trainer)
    on_cpu = trainer.cuda_device.type == "cpu"
    alone = False
    start, done = time.monotonic(), 0
    unit = getattr(trainer.data_loader, "unit", "batches")
    for group in bar:
        if _is_done(trainer):
            trainer._batches_in_epoch_completed += 1
            trainer._total_batches_completed += 1
            continue
        if trainer._distributed and _another_is_out_of_data(trainer):
            alone = True
            break
        step = trainer.train_step(*group)
        done += sum(map(trainer.progress, group))
        if on_cpu and trainer._batches_in_epoch_completed % STEPS_BEFORE_TRIM == 0:
            give_back()
        fresh = running.add(
            _mean(step, "loss"), _mean(step, "reg_loss") if "reg_loss" in step.outputs[0] else None
        )
        if not fresh and _is_logged(trainer):
            running.fetch()
            fresh = True
        metrics = _metrics(trainer, running) if fresh else {}
        _call_back(trainer, group, step, metrics, epoch, fresh)
        if fresh and trainer._primary:
            bar.set_description(training_util.description_from_metrics(metrics), refresh=False)
            rate = done / (time.monotonic() - start)  # of this process
            bar.set_postfix_str(f"{rate:.3g} {unit}/s", refresh=False)
        if trainer._checkpointer is not None:
            trainer._checkpointer.maybe_save_checkpoint(
                trainer, trainer._epochs_completed, trainer._batches_in_epoch_completed
            )
    if trainer._distributed:
        _finish_together(trainer, alone)
    running.fetch()
    if not running.count:
        return {}
    totals = [dist_reduce_sum(total) for total in running.total]
    steps = dist_reduce_sum(running.count)
    metrics = training_util.get_metrics(
        trainer.model, totals[0], *(totals[1:] or [None]), None, None, num_batches=steps, reset=True
    )
    return {**metrics, **memory}


def _must_be_exact(trainer: SteppingTrainer) -> bool:
    """
    Returns whether every step's loss is needed at once: on a CPU, or by a callback that may read
    it.
    """
    listens = (
        # Writers of logs say themselves which steps they log: see `_is_logged`.
        type(callback).on_batch not in (TrainerCallback.on_batch, LogWriterCallback.on_batch)
        # They show the first batch, and the speed, not a loss.
        and type(callback) not in (ConsoleLoggerCallback, EpochLine)
        for callback in trainer._callbacks
    )
    return trainer.cuda_device.type == "cpu" or any(listens)


def _is_logged(trainer: SteppingTrainer) -> bool:
    """Returns whether TensorBoard, or another writer of logs, logs the last step."""
    return trainer._primary and any(
        isinstance(callback, LogWriterCallback) and callback._should_log_this_batch()
        for callback in trainer._callbacks
    )


def _progress(trainer: SteppingTrainer) -> Any:
    """
    Yields the loader's batches in groups of one update, with a progress bar in the first process.
    """
    size = trainer._num_gradient_accumulation_steps
    groups: Iterator[list[TensorDict]] = common_util.lazy_groups_of(trainer.data_loader, size)
    if not trainer._primary:
        return groups
    return Tqdm.tqdm(groups, total=updates_of_epoch(trainer), leave=not quiet())


def _is_done(trainer: SteppingTrainer) -> bool:
    """Returns whether the run that is being recovered had done the next update."""
    done = trainer._start_after_epochs_completed, trainer._start_after_batches_in_epoch_completed
    return (trainer._epochs_completed, trainer._batches_in_epoch_completed) < done


def _another_is_out_of_data(trainer: SteppingTrainer) -> bool:
    # All processes step together or not at all: one that has no batch left ends the epoch.
    done = torch.tensor(0, device=trainer.cuda_device)
    dist.all_reduce(done, dist.ReduceOp.SUM)
    return bool(done.item())


def _finish_together(trainer: SteppingTrainer, alone: bool) -> None:
    if alone:
        logger.warning(
            "Worker %d skips its last batches, since another process has none left. A few are "
            "normal; many mean that the data is distributed unevenly.",
            dist.get_rank(),
        )
    else:
        done = torch.tensor(1, device=trainer.cuda_device)
        dist.all_reduce(done, dist.ReduceOp.SUM)
    dist.barrier()


def _mean(step: Step, name: str) -> torch.Tensor:
    return torch.stack([output[name].detach() for output in step.outputs]).mean()


def _metrics(trainer: SteppingTrainer, running: RunningLoss) -> dict[str, float]:
    total, last = [*running.total, None], [*running.last, None]
    return training_util.get_metrics(
        trainer.model, total[0], total[1], last[0], last[1], running.count
    )


def _call_back(
    trainer: SteppingTrainer,
    group: Sequence[TensorDict],
    step: Step,
    metrics: dict[str, float],
    epoch: int,
    fresh: bool,
) -> None:
    # With fresh figures the GPU has just been waited for: the norm costs nothing more.
    norm = float(step.gradient_norm) if fresh and step.gradient_norm is not None else None
    for callback in trainer._callbacks:
        callback.on_batch(
            trainer,
            list(group),
            step.outputs,
            metrics,
            epoch,
            trainer._batches_in_epoch_completed,
            is_training=True,
            is_primary=trainer._primary,
            batch_grad_norm=norm,
        )


def _memory() -> dict[str, float]:
    """
    Returns the peak memory of each worker and GPU so far, under AllenNLP's names, in MB of 2^20
    bytes.
    """
    peaks = {
        **{f"worker_{w}": size for w, size in common_util.peak_cpu_memory().items()},
        **{f"gpu_{g}": size for g, size in common_util.peak_gpu_memory().items()},
    }
    for name, size in peaks.items():
        logger.info("%s: at most %s of memory so far", name, common_util.format_size(size))
    return {f"{name}_memory_MB": size / 2**20 for name, size in peaks.items()}
