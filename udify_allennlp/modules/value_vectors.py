"""The vector of a language from the values of its features."""

from collections.abc import Sequence

import torch


class ValueVectors(torch.nn.Module):
    """
    `l = [E_1[v_1]; E_2[v_2]; ...]`: a trained vector for each value of each feature (Ji et al.
    2023, section 4.1). The unknown value, 0, has a separate vector; our choice is that it starts at
    zero, where it stays if no training language lacks the feature.

    # Parameters

    sizes : `Sequence[int]`
        Number of values of each feature; values are numbered from 1.
    dim : `int`
        Width of the vector of a value (the paper: 3).
    """

    starts: torch.Tensor

    def __init__(self, sizes: Sequence[int], dim: int = 3) -> None:
        super().__init__()
        rows = [size + 1 for size in sizes]
        starts = torch.tensor([0, *rows[:-1]]).cumsum(0)
        self.register_buffer("starts", starts, persistent=False)
        self.vectors = torch.nn.Parameter(torch.randn(sum(rows), dim))
        with torch.no_grad():
            self.vectors[starts] = 0

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """
        Returns the vectors of languages, `(n, features * dim)`, from their int64 values
        `(n, features)`.
        """
        return self.vectors[values + self.starts].flatten(1)
