"""Positions of nodes: distances as ids of pairs, for `pair_attention`, and sinusoids."""

import torch


def undirected_ids(length: int, clip: int) -> torch.Tensor:
    """
    Returns `min(clip, |j - i|)`, `(1, length, length)`: `clip + 1` rows (Ahmad et al. 2019, section
    3.1: attention depends on distances, not on the order of words).
    """
    return _distances(length).abs().clamp(max=clip)


def directed_ids(length: int, clip: int) -> torch.Tensor:
    """
    Returns `j - i` between `-clip` and `clip`, counted from 0, `(1, length, length)`: `2 clip + 1`
    rows (Shaw et al. 2018; Ji et al. 2023, Equation 2).
    """
    return _distances(length).clamp(-clip, clip) + clip


def _distances(length: int) -> torch.Tensor:
    places = torch.arange(length)
    return (places - places.unsqueeze(1)).unsqueeze(0)


def sinusoids(places: torch.Tensor, dim: int) -> torch.Tensor:
    """
    `c_i[2k] = sin(w_k i)`, `c_i[2k + 1] = cos(w_k i)`, `w_k = 10000^(-2k / dim)` (Vaswani et al.
    2017, section 3.5; Ji et al. 2023, Equation 1): for places `(n,)`, also negative ones,
    `(n, dim)`.
    """
    angles = places.unsqueeze(1) * 10000 ** (-torch.arange(0, dim, 2) / dim)
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)
