"""Search for the best dependency tree by its arcs and their labels together."""

from collections.abc import Callable
from typing import Optional

import torch

from udify_allennlp.modules.trees import FORBIDDEN, best_trees

# Rounding of float32 must not cut off the best tree.
_SLACK = 1e-3


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
    length = mask.shape[1]
    words = mask.bool().clone()
    words[:, 0] = False
    places = torch.arange(mask.numel(), device=mask.device).view(mask.shape)
    loops = torch.eye(length, dtype=torch.bool, device=mask.device)
    arcs = words.unsqueeze(2) & mask.bool().unsqueeze(1) & ~loops
    bounds = arc_scores.detach().float()
    bounds = bounds.masked_fill(~arcs, torch.finfo(bounds.dtype).min).log_softmax(2)
    bounds = bounds.clamp(min=FORBIDDEN)
    of_labels = torch.zeros_like(bounds)
    labels = torch.zeros(bounds.shape, dtype=torch.long, device=mask.device)

    def label(some: torch.Tensor) -> None:
        """Labels the arcs that are True in `some`."""
        sentence, word, head = some.nonzero(as_tuple=True)
        if len(sentence):
            chances, best = best_labels(places[sentence, word], places[sentence, head])
            of_labels[sentence, word, head] = chances.float()
            labels[sentence, word, head] = best

    def tree(heads: torch.Tensor) -> torch.Tensor:
        """Returns a mask of the arcs of the words."""
        return torch.zeros_like(arcs).scatter_(2, heads.unsqueeze(2), True) & words.unsqueeze(2)

    if margin is None:
        first = tree(best_trees(arc_scores, mask, single_root))
        label(first)
        most = torch.where(first, bounds + of_labels, bounds).amax(2)
        # How much worse than the best bounds of its words each sentence's first tree is.
        chosen = (bounds + of_labels).masked_fill(~first, 0.0).sum(2)
        behind = (most - chosen).masked_fill(~words, 0.0).sum(1)
        near = arcs & (most.unsqueeze(2) - bounds <= behind[:, None, None] + _SLACK)
        label(near & ~first)
        bounds = (bounds + of_labels).masked_fill(~(near | first), -torch.inf)
        heads = best_trees(bounds, mask, single_root)
    else:
        near = arcs & (bounds >= bounds.amax(2, keepdim=True) - margin)
        label(near)
        least = of_labels.amin(2, keepdim=True)
        bounds = bounds + torch.where(near, of_labels, least)
        heads = best_trees(bounds, mask, single_root)
        label(tree(heads) & ~near)
    return heads, labels.gather(2, heads.unsqueeze(2)).squeeze(2)
