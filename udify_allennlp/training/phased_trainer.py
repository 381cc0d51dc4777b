"""A trainer of models that learn in phases, from one loss or from several."""

import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data.data_loaders import TensorDict
from allennlp.training import Trainer

from udify_allennlp.kernels.processes import common
from udify_allennlp.training.epoch import Step
from udify_allennlp.training.trainer import UdifyTrainer


class Phase(NamedTuple):
    """A stretch of training."""

    updates: Optional[int]
    """The number of updates; `None` for the last phase, which lasts until the end of training."""
    rates: Mapping[str, float]
    """The probability that an update learns from each part of a batch; 1 by default."""


@Trainer.register("udify_phased", constructor="from_partial_objects")
class PhasedTrainer(UdifyTrainer):
    """
    A trainer for a model that learns differently in a later phase. Before each update it calls
    `model.start_phase(number)`, numbered from 1. The best epoch is one that ended in the last phase
    that was started. Other parameters are those of `udify`.

    If batches have parts, like those of the loader `udify_paired`, the model has a loss for each:
    an update uses the sum of the losses (Sun et al. 2021, section 3.5 and Algorithm 1: treebanks
    and masked words; in the second of two phases, treebanks with probability 0.8).

    # Parameters

    phases : `List[Dict[str, Any]]`
        The `updates`, which only the last phase lacks, and the `rates` of each phase.

    # Raises

    `ConfigurationError` if the model has no phases, a phase is invalid, or has rates although
    batches have no parts.
    """

    def __init__(self, *args: Any, phases: list[dict[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parts = tuple(getattr(self.data_loader, "parts", ()))
        if not callable(getattr(self.model, "start_phase", None)):
            raise ConfigurationError(
                "trainer.type udify_phased trains models with phases, but a "
                f"{type(self.model).__name__} has no start_phase. Use the trainer udify."
            )
        self._phases = _phases(phases, self._parts)

    def train_step(self, *batches: TensorDict) -> Step:
        self._leave_interruption()  # the draw below is random, too
        phase = self._start_phase()
        if not self._parts:
            return super().train_step(*batches)
        # Processes that learned from different parts would wait for each other forever.
        chosen = [
            part
            for part in self._parts
            if phase.rates.get(part, 1.0) == 1
            or common(random.random(), self.cuda_device) < phase.rates[part]
        ]
        losses: list[torch.Tensor] = []
        for number, part in enumerate(chosen):
            some = [batch[part] for batch in batches]
            outputs = self.accumulate(*some, fresh=number == 0)
            losses.append(torch.stack([output["loss"].detach() for output in outputs]))
        norm = self.update()
        self.done()
        return Step([{"loss": loss} for loss in torch.stack(losses).sum(0)], norm)

    def _start_phase(self) -> Phase:
        ends = list(accumulate(phase.updates or 0 for phase in self._phases[:-1]))
        done = self._total_batches_completed  # each of which is an update
        number = bisect_right(ends, done)
        if done in ends:
            # Not `clear`, which counts epochs anew.
            self._metric_tracker._best_so_far = None
            self._metric_tracker._epochs_with_no_improvement = 0
        start: Any = self.model.start_phase
        start(number + 1)
        return self._phases[number]


def _phases(phase_settings: Sequence[Mapping[str, Any]], parts: Sequence[str]) -> list[Phase]:
    phases = []
    for number, settings in enumerate(phase_settings, 1):
        phase = dict(settings)
        updates: Optional[int] = phase.pop("updates", None)
        rates: dict[str, float] = dict(phase.pop("rates", None) or {})
        where = f"trainer.phases, number {number},"
        if phase:
            raise ConfigurationError(f"{where} has {', '.join(phase)}. Use updates and rates.")
        if (updates is None) != (number == len(phase_settings)) or (
            updates is not None and updates < 1
        ):
            raise ConfigurationError(
                f"{where} has updates {updates}. Every phase but the last one needs a number of at "
                "least 1, and the last one lasts until training ends."
            )
        if not set(rates) <= set(parts) or not all(0 <= rate <= 1 for rate in rates.values()):
            remedy = f"Use probabilities of {', '.join(parts)}." if parts else "Omit them."
            raise ConfigurationError(f"{where} has the rates {rates}. {remedy}")
        if parts and all(rates.get(part, 1.0) < 1 for part in parts):
            raise ConfigurationError(
                f"{where} has a rate below 1 for every part, so some updates would learn nothing. "
                "Omit one."
            )
        phases.append(Phase(updates, rates))
    if not phases:
        raise ConfigurationError("trainer.phases is empty. Set at least one: [{}].")
    return phases
