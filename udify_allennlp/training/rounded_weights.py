"""Weights that are rounded while gradients are computed, as they will be stored."""

from contextlib import contextmanager
from typing import Any, Iterator, List

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.models.packed_weights import PRECISIONS, rounded


class RoundedWeights:
    """
    Training that knows of the rounding to come (Jacob et al. 2018, "Quantization and training of
    neural networks for efficient integer-arithmetic-only inference", section 3): losses and their
    gradients are those of the rounded weights, updates are made to the exact ones, as if rounding
    had the gradient 1 (Bengio et al. 2013, straight-through). What is saved are the exact weights;
    `ud-pack` rounds them, at little loss.

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
        self, model: torch.nn.Module, precision: str, tables: List[torch.nn.Embedding]
    ) -> None:
        if precision not in PRECISIONS:
            raise ConfigurationError(
                f"trainer.stored_precision is {precision!r}: one of {', '.join(PRECISIONS)}."
            )
        self.precision = precision
        self.active = False
        apart = {table.weight for table in tables}
        self.weights = [weight for weight in model.parameters() if weight not in apart]
        for table in tables:
            table.register_forward_hook(self._round_output)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Within it the model computes with rounded weights: a forward and a backward pass."""
        exact = [weight.data for weight in self.weights]
        for weight in self.weights:
            weight.data = rounded(weight.data, self.precision)
        self.active = True
        try:
            yield
        finally:
            self.active = False
            for weight, value in zip(self.weights, exact):
                weight.data = value

    def _round_output(self, table: torch.nn.Embedding, given: Any, rows: torch.Tensor) -> Any:
        if not self.active:
            return rows
        exact = rows.detach().flatten(0, -2)
        close = rounded(exact, self.precision, table.weight.numel()).view_as(rows)
        return rows + (close - rows.detach())
