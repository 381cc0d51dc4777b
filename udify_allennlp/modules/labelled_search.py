"""Search for the best dependency tree by its arcs and their labels together, in NumPy."""

from collections.abc import Callable
from typing import Optional

import numpy as np

from udify_allennlp.modules.tree_search import FORBIDDEN, best_heads, possible_arcs

# Rounding of float32 must not cut off the best tree.
_SLACK = 1e-3


def best_labelled_heads(
    arc_scores: np.ndarray,
    mask: np.ndarray,
    best_labels: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    single_root: bool = True,
    margin: Optional[float] = None,
) -> tuple[np.ndarray, np.ndarray]:
    """
    Returns what `best_labelled_trees` does, for the same arguments as arrays.
    """
    words = mask.astype(bool)
    words[:, 0] = False
    places = np.arange(mask.size).reshape(mask.shape)
    arcs = possible_arcs(words)
    bounds = np.where(arcs, arc_scores, np.finfo(np.float32).min).astype(np.float32)
    bounds = np.maximum(_log_softmax(bounds), np.float32(FORBIDDEN))
    of_labels = np.zeros_like(bounds)
    labels = np.zeros(bounds.shape, dtype=np.int64)

    def label(some: np.ndarray) -> None:
        """Labels the arcs that are True in `some`."""
        sentence, word, head = some.nonzero()
        if len(sentence):
            chances, best = best_labels(places[sentence, word], places[sentence, head])
            of_labels[sentence, word, head] = chances
            labels[sentence, word, head] = best

    def tree(heads: np.ndarray) -> np.ndarray:
        """Returns a mask of the arcs of the words."""
        chosen = np.zeros_like(arcs)
        np.put_along_axis(chosen, heads[:, :, None], True, 2)
        return chosen & words[:, :, None]

    if margin is None:
        first = tree(best_heads(arc_scores, mask, single_root))
        label(first)
        most = np.where(first, bounds + of_labels, bounds).max(2)
        # How much worse than the best bounds of its words each sentence's first tree is.
        chosen = np.where(first, bounds + of_labels, 0).sum(2)
        behind = np.where(words, most - chosen, 0).sum(1)
        near = arcs & (most[:, :, None] - bounds <= behind[:, None, None] + _SLACK)
        label(near & ~first)
        bounds = np.where(near | first, bounds + of_labels, -np.inf)
        heads = best_heads(bounds, mask, single_root)
    else:
        near = arcs & (bounds >= bounds.max(2, keepdims=True) - margin)
        label(near)
        least = of_labels.min(2, keepdims=True)
        bounds = bounds + np.where(near, of_labels, least)
        heads = best_heads(bounds, mask, single_root)
        label(tree(heads) & ~near)
    return heads, np.take_along_axis(labels, heads[:, :, None], 2)[:, :, 0]


def _log_softmax(scores: np.ndarray) -> np.ndarray:
    """Returns log-probabilities along the last axis."""
    shifted = scores - scores.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
