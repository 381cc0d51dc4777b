"""Search for the best dependency tree by its arcs and their labels together."""

from collections.abc import Callable
from typing import Optional

import numpy as np
import torch

from udify_allennlp.modules.labelled_search import best_labelled_heads


def best_labelled_trees(
    arc_scores: torch.Tensor,
    mask: torch.Tensor,
    best_labels: Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    single_root: bool = True,
    margin: Optional[float] = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Returns the tree with the highest sum of `log p(head | word) + max_l log p(l | word, head)`. The
    released code of UDify multiplies the two probabilities and adds the products, allows the label
    `root` anywhere, and any number of roots.

    Without a `margin` it is exactly this tree, though few arcs need labels. A label's
    log-probability is at most 0, so the score of a tree is bounded by any one of its arcs and the
    best possible arcs of the other words. Once the best tree by arcs alone is labelled, arcs that
    no better tree can have are excluded; often none remains.

    With a `margin` there is one search, with labels for the arcs that are at most this many nats
    less probable than the best of their word. Any other arc of the word gets the lowest of these
    label scores: a tree contains such an arc only if it must, and rarely.

    # Parameters

    arc_scores, mask, single_root :
        As for `best_trees`.
    best_labels : `Callable[[torch.Tensor, torch.Tensor], Tuple[torch.Tensor, torch.Tensor]]`
        A function from the positions of dependents and of heads of arcs in `mask.flatten()`,
        `(arcs,)` each, to the log-probability of the best label of each, and this label.
    margin : `Optional[float]`
        In nats, from 0.

    # Returns

    Heads, as from `best_trees`, and the label of each word's arc, `(batch, n + 1)`.

    # Raises

    The errors of `best_trees`.
    """
    device = arc_scores.device

    def of_arcs(dependents: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arcs = (torch.from_numpy(dependents).to(device), torch.from_numpy(heads).to(device))
        chances, labels = best_labels(*arcs)
        return chances.detach().float().cpu().numpy(), labels.cpu().numpy()

    scores = arc_scores.detach().float().cpu().numpy()
    found = best_labelled_heads(scores, mask.cpu().numpy(), of_arcs, single_root, margin)
    heads, labels = (torch.from_numpy(part).to(device) for part in found)
    return heads, labels
