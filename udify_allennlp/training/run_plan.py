"""The plan of a run: its epochs, their updates, and a line that describes it."""

import math
from collections import Counter
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer

from udify_allennlp.training.schedulers import InverseSqrt


def updates_of_epoch(trainer: GradientDescentTrainer) -> Optional[int]:
    """Returns the number of updates in an epoch; `None` for a loader of unknown length."""
    try:
        batches = len(trainer.data_loader)
    except TypeError:
        return None
    return math.ceil(batches / trainer._num_gradient_accumulation_steps)


def epochs_with(trainer: GradientDescentTrainer, least_steps: int) -> int:
    """Returns `num_epochs`, or the larger number of epochs that `least_steps` updates need."""
    if not least_steps:
        return trainer._num_epochs
    if hasattr(trainer._learning_rate_scheduler, "total_steps"):
        raise ConfigurationError(
            "trainer.least_steps adds epochs that this trainer.learning_rate_scheduler cannot "
            "take into account. Omit it, or use udify_inverse_sqrt."
        )
    updates = updates_of_epoch(trainer)
    if updates is None:
        raise ConfigurationError(
            "trainer.least_steps needs a data_loader with a known length. Omit it."
        )
    epochs = max(trainer._num_epochs, math.ceil(least_steps / max(updates, 1)))
    if isinstance(trainer._learning_rate_scheduler, InverseSqrt):
        trainer._learning_rate_scheduler.num_epochs = epochs
    return epochs


def training_data(
    trainer: GradientDescentTrainer,
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """
    Returns the treebanks and raw texts of a run, in the form of a model's card; empty for loaders
    without `treebanks`, as `udify` has, or `corpora`, as `udify_texts` has.
    """
    loader: Any = trainer.data_loader
    return getattr(loader, "treebanks", dict)(), getattr(loader, "corpora", dict)()


def run_plan(trainer: GradientDescentTrainer) -> str:
    """
    Returns the device, the size of the training data, the updates of an epoch, and the epochs:

        Training on cpu (2 threads): 1 treebank, 200 sentences, 4,013 words; 7 updates per epoch, 80
        epochs.
    """
    treebanks, corpora = training_data(trainer)
    total: Counter = Counter()
    for counts in treebanks.values():
        total.update(counts)
    data = [_counted(len(treebanks), "treebank")] if treebanks else []
    data += [_counted(count, unit.removesuffix("s")) for unit, count in total.items()]
    data += [_counted(len(corpora), "raw text")] if corpora else []
    left_out: dict[str, int] = getattr(trainer.data_loader, "left_out", dict)()
    held_out = [f"{count:,} of {part}" for part, count in left_out.items() if count]
    if held_out:
        data.append(f"without held-out sentences ({' and '.join(held_out)})")
    updates = updates_of_epoch(trainer)
    length = [f"{_counted(updates, 'update')} per epoch"] if updates is not None else []
    length += [_counted(trainer._num_epochs, "epoch")]
    parts = [", ".join(data), ", ".join(length)]
    return f"Training on {_device(trainer)}: {'; '.join(filter(None, parts))}."


def _device(trainer: GradientDescentTrainer) -> str:
    device = trainer.cuda_device
    if device.type == "cuda":
        name = f"{device} ({torch.cuda.get_device_name(device)})"
    else:
        name = f"{device} ({_counted(torch.get_num_threads(), 'thread')})"
    processes = trainer._world_size
    return f"{processes} processes, the first on {name}" if processes > 1 else name


def _counted(number: int, unit: str) -> str:
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"
