"""Universal structure learning: arcs and labels of all pairs of subwords (Sun et al. 2021, 3.3)."""

from typing import NamedTuple

import torch

from udify_allennlp.kernels.products import linear
from udify_allennlp.modules.biaffine import BIASES, Biaffine, Projections
from udify_allennlp.modules.bilinear import LabelBilinear


class PairVectors(NamedTuple):
    """Nodes as dependents and as heads."""

    dependents: torch.Tensor
    """`(batch, n, dependent_dim)`."""
    heads: torch.Tensor
    """`(batch, n, head_dim)`."""


class PairLabels(LabelBilinear):
    """Scores of the labels of all pairs of nodes, each as in `LabelBilinear`."""

    def all_pairs(self, pairs: PairVectors) -> torch.Tensor:
        """Returns log-scores (nats) `(batch, dependent, label, head)`."""
        x, y = pairs
        num_labels, head_dim = self.head_weight.shape
        products = (x @ self.weight.flatten(1)).view(*x.shape[:2], num_labels, head_dim)
        # The term of heads is added to what is multiplied with them.
        products = products + self.head_weight
        bilinear = products.flatten(1, 2) @ y.transpose(1, 2)
        of_dependents = linear(x, self.dependent_weight, self.bias)
        return bilinear.view(*x.shape[:2], num_labels, -1) + of_dependents.unsqueeze(-1)


class UniversalStructure(torch.nn.Module):
    """
    `S = softmax(R_dep^T U R_head + u^T R_head + v^T R_dep + b)` of arcs, over heads, and of labels,
    over labels, with `R = ReLU(MLP(H))` (Sun et al. 2021, section 3.3; axes are not printed). As
    printed, a node is among its own possible heads.
    Our choice: `U`, `u`, `v` and `b` start at zero, so that both first distributions are uniform.

    # Parameters

    input_dim : `int`
    num_labels : `int`
    head_dim, dependent_dim : `int`
        Widths of the MLPs (section 4.1: 128 and 64).
    shared : `bool`
        True if arcs and labels share two MLPs, as printed; otherwise there are four.

    # Raises

    `ConfigurationError` if a width is below 1.
    """

    def __init__(
        self,
        input_dim: int,
        num_labels: int,
        head_dim: int = 128,
        dependent_dim: int = 64,
        shared: bool = True,
    ) -> None:
        super().__init__()
        self.settings = {
            "num_labels": num_labels,
            "head_dim": head_dim,
            "dependent_dim": dependent_dim,
            "shared": shared,
        }
        self.arcs = Biaffine(dependent_dim, head_dim, BIASES)
        self.labels = PairLabels(dependent_dim, head_dim, num_labels)
        widths = (input_dim, dependent_dim, head_dim, "relu", 0.0)
        self.projections = Projections(*widths)
        self.label_projections = None if shared else Projections(*widths)

    def forward(self, nodes: torch.Tensor, mask: torch.Tensor) -> "StructureScores":
        """
        Returns the scores for vectors `(batch, n, input_dim)` of nodes, and `mask` `(batch, n)`.
        """
        pairs = _vectors(self.projections, nodes)
        arcs = self.arcs(*pairs).float().masked_fill(~mask.unsqueeze(1), -torch.inf)
        if self.label_projections is not None:
            pairs = _vectors(self.label_projections, nodes)
        return StructureScores(arcs, pairs)

    def soft(self, scores: "StructureScores") -> torch.Tensor:
        """
        Returns the probabilities of arcs times those of their labels, `(batch, dependent, label,
        head)`: they sum to 1 for each dependent, and are 0 for padding as head.
        """
        arcs = scores.arcs.softmax(-1).unsqueeze(2)
        return arcs * self.labels.all_pairs(scores.pairs).float().softmax(2)


class StructureScores(NamedTuple):
    """Scores of `UniversalStructure`; scores of labels are computed on demand."""

    arcs: torch.Tensor
    """Log-scores (nats, float32) `(batch, dependent, head)`, -inf where the head is padding."""
    pairs: PairVectors
    """Vectors from which labels are scored."""


def _vectors(projections: Projections, nodes: torch.Tensor) -> PairVectors:
    act = projections.activation
    return PairVectors(act(projections.dependent(nodes)), act(projections.head(nodes)))
