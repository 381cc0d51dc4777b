"""All trees over a few words, and what they score."""

from functools import lru_cache
from itertools import product

import numpy as np


def is_single_root_tree(heads: tuple[int, ...]) -> bool:
    """`heads` with ROOT's own 0 first."""
    for word in range(1, len(heads)):
        ancestor = word
        for _ in heads:
            ancestor = heads[ancestor]
        if ancestor != 0:
            return False
    return sum(head == 0 for head in heads[1:]) == 1


@lru_cache
def all_trees(n: int) -> np.ndarray:
    candidates = (
        (0, *heads)
        for heads in product(range(n + 1), repeat=n)
        if heads.count(0) == 1 and all(head != d for d, head in enumerate(heads, 1))
    )
    return np.array([heads for heads in candidates if is_single_root_tree(heads)])


def totals(scores: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Sum of arc scores in float64; heads `(..., n + 1)`."""
    dependents = np.arange(1, len(scores))
    return scores.astype(np.float64)[dependents, heads[..., 1:]].sum(-1)
