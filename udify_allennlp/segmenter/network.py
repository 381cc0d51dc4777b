"""
A network over the characters of a text, in which each depends on a bounded context on both sides.
"""

from collections.abc import Sequence
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from torch.nn import functional

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.segmentation.row import SHORT

_MULTIPLIER, _MODULUS = 40503, 1009


class CharacterNetwork(torch.nn.Module):
    """
    Vectors of characters: hashed features are looked up in a table for each kind (Weinberger et al.
    2009), projected, and passed through dilated convolutions (Yu and Koltun 2016; for text,
    Strubell et al. 2017), each with a rectifier and a residual connection, all of width
    `hidden_dim`.

    In training some features are replaced by others, the same for all equal features of a text:
    hashed features of unseen words look like this.

    # Parameters

    buckets : `Sequence[int]`
        Rows of each kind of feature. All share one table, whose row 0, for no feature, is zero.
    classes : `int`
        Number of classes of characters.
    noise : `Sequence[float]`
        Share of features of each kind that are replaced in training.
    dim, class_dim, hidden_dim : `int`
        Widths of a feature's vector, of a class's, and of the layers: our choice.
    dilations : `Sequence[int]`
        Distances of the neighbours that each convolution reads. Doubling them reaches far in few
        layers (Yu and Koltun 2016); the numbers are our choice.
    dropout : `float`
        Dropout rate on the input of the first convolution.

    # Raises

    `ConfigurationError` if a width or a dilation is below 1, or a share outside [0, 1).
    """

    takes_packed = True
    """The table of features may be a `PackedEmbedding`."""

    def __init__(
        self,
        buckets: Sequence[int],
        classes: int,
        noise: Sequence[float],
        dim: int = 24,
        class_dim: int = 16,
        hidden_dim: int = 64,
        dilations: Sequence[int] = (1, 2, 4, 8, 16, 1),
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        sizes = {"dim": dim, "class_dim": class_dim, "hidden_dim": hidden_dim}
        sizes["dilations"] = min(dilations, default=0)
        sizes["buckets"] = min(buckets, default=0)
        for name, size in sizes.items():
            if size < 1:
                raise ConfigurationError(f"model.{name} is {size}. It must be at least 1.")
        if len(buckets) != len(noise):
            raise ConfigurationError(
                f"model has {len(buckets)} buckets and {len(noise)} shares of noise. Use one of "
                "each for every kind of feature."
            )
        if not all(0 <= share < 1 for share in (dropout, *noise)):
            raise ConfigurationError(
                f"model has dropout {dropout} and noise {list(noise)}. They must be shares in [0, "
                "1)."
            )
        self.reach = sum(dilations)
        """Number of characters on either side that the vector of one depends on."""
        self.step = max(dilations)
        """Number of masked characters that separate two texts in one row."""
        self.features_dim = dim * len(noise) + class_dim
        self.layers = 1 + len(dilations)
        """The projection and the convolutions."""
        self.looks_at_length = True
        """True if short texts are convolved by products; false while a graph is exported."""
        self.table = torch.nn.Embedding(1 + sum(buckets), dim, padding_idx=0)
        torch.nn.init.normal_(self.table.weight, std=0.1)
        torch.nn.init.zeros_(self.table.weight[0])
        self.classes = torch.nn.Embedding(classes, class_dim)
        self.input = torch.nn.Linear(self.features_dim, hidden_dim)
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(hidden_dim, hidden_dim, 3, padding="same", dilation=dilation)
            for dilation in dilations
        )
        self.dropout = FastDropout(dropout)
        self.noise: torch.Tensor
        self.register_buffer("noise", torch.tensor(noise), persistent=False)
        rows = torch.tensor(buckets)
        self.rows: torch.Tensor
        self.register_buffer("rows", rows, persistent=False)
        self.firsts: torch.Tensor
        self.register_buffer("firsts", 1 + rows.cumsum(0) - rows, persistent=False)

    def features(self, hashes: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        """
        Returns features of each character separately, `(batch, n, features_dim)`, given hashes
        `(batch, n, kinds)`, 0 for none, and classes `(batch, n)`.
        """
        if self.training:
            hashes = self._noisy(hashes)
        # Row 0 for 0, and for nothing else.
        rows = (hashes % self.rows + self.firsts) * (hashes > 0)
        return torch.cat([self.table(rows).flatten(2), self.classes(classes)], -1)

    def forward(
        self,
        features: torch.Tensor,
        mask: Optional[torch.Tensor] = None,
        bias: Optional[torch.Tensor] = None,
        text_of: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        Returns `(batch, n, hidden_dim)`, given `features` of the same batch.

        # Parameters

        features : `torch.Tensor`
            `(batch, n, features_dim)`.
        mask : `Optional[torch.Tensor]`
            `(batch, n)`: a mask of characters; by default all.
        bias : `Optional[torch.Tensor]`
            `(texts, layers, hidden_dim)`: the input of each of the `layers` for a text.
        text_of : `Optional[torch.Tensor]`
            `(batch, n)`: the number of the text that a character belongs to; by default each row
            is one text, or all are the only one.
        """
        vectors = self.input(features)
        if bias is not None:
            vectors = vectors + _told(bias[:, 0], text_of)
        # Once is enough beside the noise; for each layer it would cost as much as the layers.
        vectors = self.dropout(vectors)
        keep = None if mask is None else mask.unsqueeze(2).to(vectors.dtype)
        if keep is not None:
            vectors = vectors * keep
        for number, convolution in enumerate(self.convolutions, start=1):
            sums = _convolved(convolution, vectors, self.looks_at_length)
            if bias is not None:
                sums += _told(bias[:, number], text_of)
            vectors = vectors + sums.relu_()
            if keep is not None:  # or the bias of a convolution would get beyond a border
                vectors *= keep
        return vectors

    def _noisy(self, hashes: torch.Tensor) -> torch.Tensor:
        seeds = torch.randint(1, 2**31, (len(hashes), 1, hashes.shape[-1]), device=hashes.device)
        drawn = (hashes * _MULTIPLIER + seeds) % _MODULUS
        other = hashes + seeds
        chosen = (drawn < self.noise * _MODULUS) & (hashes > 0)
        return torch.where(chosen, other, hashes)


def _told(bias: torch.Tensor, text_of: Optional[torch.Tensor]) -> torch.Tensor:
    """
    Expands the vectors of texts `(texts, hidden_dim)` for characters:
    `(batch, n or 1, hidden_dim)`.
    """
    return bias.unsqueeze(1) if text_of is None else bias[text_of]


def _convolved(
    convolution: Any, vectors: torch.Tensor, looks_at_length: bool = True
) -> torch.Tensor:
    """
    Returns `convolution` of `(batch, n, hidden_dim)`, of the same shape; for a short text, a
    product for each tap.
    """
    if not looks_at_length:
        return convolution(vectors.transpose(1, 2)).transpose(1, 2)
    n = vectors.shape[1]
    step = convolution.dilation[0]
    if n > SHORT or torch.is_grad_enabled():
        # In two dimensions there is a layout with a character's numbers side by side, as they are
        # here: with the layout of one dimension the same takes up to eight times as long.
        image = vectors.transpose(1, 2).unsqueeze(2).contiguous(memory_format=torch.channels_last)
        weight = convolution.weight.unsqueeze(2)
        convolved = functional.conv2d(image, weight, convolution.bias, 1, (0, step), (1, step))
        return convolved.squeeze(2).transpose(1, 2)
    padded = functional.pad(vectors, (0, 0, step, step))
    taps = convolution.weight.permute(2, 1, 0)
    convolved = convolution.bias + padded[:, :n] @ taps[0]
    for number, tap in enumerate(taps[1:], start=1):
        convolved += padded[:, number * step : number * step + n] @ tap
    return convolved
