"""Distances between positions as ids of pairs, for `pair_attention`."""

import torch


def undirected_ids(length: int, clip: int) -> torch.Tensor:
    """
    `min(clip, |j - i|)`, `(1, length, length)`: `clip + 1` rows (Ahmad et al. 2019, section 3.1:
    the order of words is not seen, only how far apart they are).
    """
    return _distances(length).abs().clamp(max=clip)


def directed_ids(length: int, clip: int) -> torch.Tensor:
    """
    `j - i` between `-clip` and `clip`, counted from 0, `(1, length, length)`: `2 clip + 1` rows
    (Shaw et al. 2018; Ji et al. 2023, Equation 2).
    """
    return _distances(length).clamp(-clip, clip) + clip


def _distances(length: int) -> torch.Tensor:
    places = torch.arange(length)
    return (places - places.unsqueeze(1)).unsqueeze(0)
