"""Weights that are rounded while gradients are computed, as they will be stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.packed_weights import STORED_PRECISIONS, rounded, rounded_together


class RoundedWeights:
    """
    Quantization-aware training (Jacob et al. 2018, "Quantization and training of neural networks
    for efficient integer-arithmetic-only inference", section 3): losses and their gradients are
    those of the rounded weights, updates are made to the exact ones, as if rounding had the
    gradient 1 (Bengio et al. 2013, straight-through). The exact weights are useful only for further
    training: they drift away from values with which the model works. The rounded weights are the
    model, and are saved.

    Departure: activations are not rounded, since stored weights are used in float again.

    # Parameters

    model : `torch.nn.Module`
    precision : `str`
        A precision of `packed_weights.packed`.
    tables : `List[torch.nn.Embedding]`
        Tables in which only the rows that are read are rounded, since a batch reads few of them.
        Rows must consist of whole blocks, as for `int4` if 64 divides them.

    # Raises

    `ConfigurationError` for an unknown precision.
    """

    def __init__(
        self, model: torch.nn.Module, precision: str, tables: list[torch.nn.Embedding]
    ) -> None:
        if precision not in STORED_PRECISIONS:
            raise ConfigurationError(
                f"trainer.stored_precision is {precision!r}. Use one of "
                f"{', '.join(STORED_PRECISIONS)}."
            )
        self.precision = precision
        self.active = False
        self.tables = tables
        apart = {table.weight for table in tables}
        self.weights: list[torch.Tensor] = [
            weight for weight in model.parameters() if weight not in apart
        ]
        for table in tables:
            table.register_forward_hook(self._round_output)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """
        Makes the model compute with rounded weights within the context: a forward and a backward
        pass.
        """
        self.active = True
        try:
            with _rounded(self.weights, self.precision):
                yield
        finally:
            self.active = False

    @contextmanager
    def whole(self) -> Iterator[None]:
        """
        Rounds all of the model's weights, those of tables too, within the context, so that they can
        be saved.
        """
        with _rounded(self._all(), self.precision):
            yield

    def settle(self) -> None:
        """Makes the rounded weights the model's weights permanently, at the end of training."""
        for weight in self._all():
            weight.data = rounded(weight.data, self.precision)

    def _all(self) -> list[torch.Tensor]:
        for table in self.tables:
            table.state_dict()  # brings rows up to date that are updated when they are read
        return self.weights + [table.weight for table in self.tables]

    def _round_output(self, table: torch.nn.Embedding, inputs: Any, rows: torch.Tensor) -> Any:
        if not self.active:
            return rows
        exact = rows.detach().flatten(0, -2)
        close = rounded(exact, self.precision, table.weight.numel()).view_as(rows)
        return rows + (close - rows.detach())


@contextmanager
def _rounded(weights: list[torch.Tensor], precision: str) -> Iterator[None]:
    exact = [weight.data for weight in weights]
    for weight, value in zip(weights, rounded_together(exact, precision), strict=True):
        weight.data = value
    try:
        yield
    finally:
        for weight, value in zip(weights, exact):
            weight.data = value
