"""Universal structure integration: heads gathered by label (Sun et al. 2021, section 3.4)."""

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.universal_structure import UniversalStructure

INTENDED, LITERAL = "intended", "literal"
READINGS = (INTENDED, LITERAL)


class Integration(torch.nn.Module, FromParams):
    """
    The layer above the topmost layer of the encoder, with vectors `H`. With the probabilities `S`
    of arcs and labels (`UniversalStructure.soft`), per label `k`:

        G[i, k] = sum_j S[i, k, j] H[j]      O[i, k] = G[i, k] W_k
        H' = Transformer(GELU(Linear(O[i, 1], ..., O[i, K])) + H)

    As printed, the first equation sums over `j` without reading `H[j]`, and scales the vector of
    each dependent itself: `G[i, k] = sum_j S[i, k, j] H[i]`. The text of the paper describes the
    form above. The largest tensors are `(batch, n, labels, n)` and `(batch, n, labels, dim)`; none
    has both lengths and `dim`.

    # Parameters

    dim : `int`
        Width of the vectors.
    num_labels : `int`
    num_heads : `int`
        Number of heads of the layer's attention.
    feedforward_dim : `int`
    dropout : `float`
        Dropout rate of the layer (section 4.1: 0.1).
    reading : `str`
        `intended`, the first equation as above, or `literal`, as printed.

    # Raises

    `ConfigurationError` for an unknown reading.
    """

    def __init__(
        self,
        dim: int,
        num_labels: int,
        num_heads: int,
        feedforward_dim: int,
        dropout: float = 0.1,
        reading: str = INTENDED,
    ) -> None:
        super().__init__()
        if reading not in READINGS:
            raise ConfigurationError(
                f"model.integration.reading is {reading!r}. Use one of {', '.join(READINGS)}."
            )
        self.reading = reading
        self.settings = {
            "num_heads": num_heads,
            "feedforward_dim": feedforward_dim,
            "reading": reading,
        }
        # As BERT starts its weights.
        self.weight = torch.nn.Parameter(torch.randn(num_labels, dim, dim) * 0.02)
        self.linear = torch.nn.Linear(num_labels * dim, dim)
        torch.nn.init.normal_(self.linear.weight, std=0.02)
        torch.nn.init.zeros_(self.linear.bias)
        layer: Any = torch.nn.TransformerEncoderLayer
        self.layer = layer(
            dim, num_heads, feedforward_dim, dropout, activation="gelu", batch_first=True
        )
        # Torch's fast path reads weights that are rounded to 8 bits for prediction.
        self.layer.activation_relu_or_gelu = 0

    def forward(
        self, nodes: torch.Tensor, structure: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """
        Returns new vectors `(batch, n, dim)`, given vectors `(batch, n, dim)`, `structure` `(batch,
        dependent, label, head)` and `mask` `(batch, n)`.
        """
        gathered = self.gather(nodes, structure.to(nodes.dtype))
        transformed = torch.einsum("bikh,khm->bikm", gathered, self.weight)
        vectors: torch.Tensor = self.layer(
            F.gelu(self.linear(transformed.flatten(2))) + nodes, src_key_padding_mask=~mask
        )
        return vectors

    def gather(self, nodes: torch.Tensor, structure: torch.Tensor) -> torch.Tensor:
        """Computes the first equation, `(batch, n, label, dim)`."""
        if self.reading == LITERAL:
            return structure.sum(-1, keepdim=True) * nodes.unsqueeze(2)
        # All labels of a dependent are rows of one matrix product.
        rows = structure.flatten(1, 2) @ nodes
        return rows.view(*structure.shape[:3], -1)


class StructureLayer(torch.nn.Module):
    """
    The scorer of a pretrained model and its layer of integration, above the topmost layer of an
    encoder.

    # Parameters

    structure : `UniversalStructure`
    integration : `Integration`
    """

    def __init__(self, structure: UniversalStructure, integration: Integration) -> None:
        super().__init__()
        self.structure = structure
        self.integration = integration

    def forward(self, nodes: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Returns new vectors, given vectors `(batch, n, dim)` of the topmost layer, and `mask`
        `(batch, n)`.
        """
        soft = self.structure.soft(self.structure(nodes, mask))
        vectors: torch.Tensor = self.integration(nodes, soft, mask)
        return vectors

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `made`."""
        return {**self.structure.settings, **self.integration.settings}

    @classmethod
    def made(cls, dim: int, settings: Mapping[str, Any], dropout: float = 0.1) -> "StructureLayer":
        """Returns a layer with new weights and the `settings` of another one."""
        options = dict(settings)
        num_labels = options["num_labels"]
        of_scorer = ("num_labels", "head_dim", "dependent_dim", "shared")
        structure = UniversalStructure(dim, **{name: options.pop(name) for name in of_scorer})
        return cls(structure, Integration(dim, num_labels, dropout=dropout, **options))
