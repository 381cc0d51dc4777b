"""Analysis of typology-based positions (Ji et al. 2023, sections 5.2 and 6)."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F

EDGE = 30 / 128
"""The share of positions that are the first, and the last ones (Figure 4)."""


def similarities(tables: Sequence[torch.Tensor]) -> torch.Tensor:
    """
    Returns `sim(a, b) = mean_i cos(p_i^a, p_i^b)` between all pairs of languages, `(n, n)` (Figure
    1a).

    # Parameters

    tables : `Sequence[torch.Tensor]`
        `(n, positions, dim)` each; for several, keys and values, the mean of both.
    """
    place_means = []
    for table in tables:
        units = F.normalize(table, dim=2)
        place_means.append(torch.einsum("aid,bid->ab", units, units) / table.shape[1])
    return torch.stack(place_means).mean(0)


def similarity_map(table: torch.Tensor, first: int = 50) -> torch.Tensor:
    """
    Returns the cosines between the first positions of `(positions, dim)`, `(m, m)` (Figure 3).
    """
    units = F.normalize(table[:first], dim=1)
    return units @ units.T


def shifts(alpha: torch.Tensor, places: torch.Tensor, priors: torch.Tensor) -> torch.Tensor:
    """
    Returns `shift_i = sum_{j > i} alpha_ij - sum_{j < i} alpha_ij`, from -1, all to the left, to 1
    (section 6.2, Figure 4): `(n, positions)` for `alpha` `(n, positions, priors)`, whose positions
    and priors are at `places` `(positions,)` and `priors` `(priors,)`.
    """
    sides = (priors.unsqueeze(0) - places.unsqueeze(1)).sign()
    return (alpha * sides).sum(2)


def directions(shift: torch.Tensor) -> dict[str, float]:
    """
    Returns the percentages of the shifts `(positions,)` of a language that go `left` and `right`,
    for the middle positions only, since those at the ends have only one side.
    """
    edge = round(EDGE * len(shift))
    middle = shift[edge : len(shift) - edge]
    return {
        "left": 100 * float((middle < 0).float().mean()),
        "right": 100 * float((middle > 0).float().mean()),
    }


class Probe(torch.nn.Module):
    """
    A classifier of a sentence's language among two, from its vector: a network with one hidden
    layer, ReLU (section 6.1 says "2-layer MLP"; its width is our choice).

    # Parameters

    dim : `int`
        Width of the vectors.
    hidden_dim : `int`
    """

    def __init__(self, dim: int, hidden_dim: int = 128) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(dim, hidden_dim), torch.nn.ReLU(), torch.nn.Linear(hidden_dim, 2)
        )

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Returns log-scores of the first and the second language, `(sentences, 2)`."""
        scores: torch.Tensor = self.layers(vectors)
        return scores

    def share_of_first(self, vectors: torch.Tensor) -> float:
        """Returns the percentage of sentences that are classified as the first language."""
        with torch.no_grad():
            return 100 * float((self(vectors).argmax(1) == 0).float().mean())


def train_probe(
    first: torch.Tensor, second: torch.Tensor, seed: int = 0, steps: int = 300
) -> Probe:
    """
    Returns a probe that distinguishes the sentences of two languages, `(sentences, dim)` each,
    which have equal weight. Our choice: `steps` of Adam over all of them at 1e-3.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        probe = Probe(first.shape[1]).to(first.device)
    vectors = torch.cat([first, second])
    labels = torch.tensor([0] * len(first) + [1] * len(second), device=first.device)
    weight = torch.tensor([1 / len(first), 1 / len(second)], device=first.device)
    optimizer = torch.optim.Adam(probe.parameters(), lr=1e-3)
    with torch.enable_grad():
        for _ in range(steps):
            optimizer.zero_grad()
            F.cross_entropy(probe(vectors), labels, weight).backward()
            optimizer.step()
    return probe


def halves(count: int, seed: int = 0) -> tuple[list[int], list[int]]:
    """Returns the numbers of the sentences for training and for testing a probe."""
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()
    return sorted(order[: (count + 1) // 2]), sorted(order[(count + 1) // 2 :])
