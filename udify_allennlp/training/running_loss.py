"""The losses of an epoch, summed without waiting for a GPU at every step."""

import time
from collections.abc import Sequence
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError

# How often the progress bar gets new figures.
SECONDS = 1.0


class NanLoss(ConfigurationError, ValueError):
    """Raised if the loss is not a number, so that nothing can be learned from here on."""


class RunningLoss:
    """
    A collector of one tensor per step, which are fetched together: fetching waits until the GPU has
    finished its queue, so the next step begins with an idle GPU.

    # Parameters

    every_step : `bool`
        True to fetch at each step: on a CPU there is nothing to wait for, and some callbacks log
        every batch.
    count, total :
        Values from earlier steps of an interrupted epoch that continues.
    epoch : `int`
        Its number, from 1, for messages.
    """

    def __init__(
        self, every_step: bool, count: int = 0, total: Sequence[float] = (), epoch: int = 1
    ) -> None:
        self.every_step = every_step
        self._epoch = epoch
        self.count = count
        """The number of steps in `total`; `last` is about the last of them."""
        self.total: list[float] = list(total)
        """Sums over these steps: the loss and, where the model has one, its penalty."""
        self.last: list[float] = []
        self._waiting: list[torch.Tensor] = []
        self._fetched = time.monotonic()

    def add(self, loss: torch.Tensor, penalty: Optional[torch.Tensor] = None) -> bool:
        """Adds one step's loss and penalty, scalars. Returns True if the values are up to date."""
        values = [loss] if penalty is None else [loss, penalty]
        self._waiting.append(torch.stack([value.detach().float() for value in values]))
        if not self.every_step and time.monotonic() - self._fetched < SECONDS:
            return False
        self.fetch()
        return True

    def fetch(self) -> None:
        """
        Brings `total`, `last` and `count` up to date.

        # Raises

        `NanLoss` if a loss is NaN.
        """
        if not self._waiting:
            return
        rows = torch.stack(self._waiting).tolist()
        self._waiting = []
        self._fetched = time.monotonic()
        for number, row in enumerate(rows, start=self.count + 1):
            if row[0] != row[0]:
                raise NanLoss(
                    f"the loss is NaN in update {number} of epoch {self._epoch}. Lower the "
                    "learning rate, or turn mixed precision off to check for an overflow; no "
                    "checkpoint was written after it."
                )
            self.total = [a + b for a, b in zip(self.total or [0.0] * len(row), row)]
        self.last = rows[-1]
        self.count += len(rows)
