"""Weights that are rounded while gradients are computed, as they will be stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.packed_weights import STORED_PRECISIONS, rounded


class RoundedWeights:
    """
    Training that knows of the rounding to come (Jacob et al. 2018, "Quantization and training of
    neural networks for efficient integer-arithmetic-only inference", section 3): losses and their
    gradients are those of the rounded weights, updates are made to the exact ones, as if rounding
    had the gradient 1 (Bengio et al. 2013, straight-through). The exact weights are of use to go on
    training, and for nothing else: they drift away from where the model works. What it is, and what
    is kept of it, are the rounded ones.

    Departure: activations stay as they are, since stored weights are computed in float again.

    # Parameters

    model : `torch.nn.Module`
    precision : `str`
        As in `packed_weights.packed`.
    tables : `List[torch.nn.Embedding]`
        Of these only the rows that are read are rounded, since a batch reads few of them. Rows
        must be of whole blocks, as those of `int4` are wherever 64 divides them.

    # Raises

    `ConfigurationError` if there is no such precision.
    """

    def __init__(
        self, model: torch.nn.Module, precision: str, tables: list[torch.nn.Embedding]
    ) -> None:
        if precision not in STORED_PRECISIONS:
            raise ConfigurationError(
                f"trainer.stored_precision is {precision!r}: one of {', '.join(STORED_PRECISIONS)}."
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
        """Makes the rounded weights the model's for good, when training is over."""
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
    for weight in weights:
        weight.data = rounded(weight.data, precision)
    try:
        yield
    finally:
        for weight, value in zip(weights, exact):
            weight.data = value
