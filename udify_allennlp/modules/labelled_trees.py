"""Search for the best dependency tree by its arcs and their labels together."""

from collections.abc import Callable

import torch

from udify_allennlp.modules.trees import FORBIDDEN, best_trees

# Rounding of float32 must not cut off the best tree.
_SLACK = 1e-3


def best_labelled_trees(
    arc_scores: torch.Tensor,
    mask: torch.Tensor,
    best_labels: Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    single_root: bool = True,
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    The tree with the highest sum of `log p(head | word) + max_l log p(l | word, head)`. The
    released code of UDify multiplies the two probabilities and adds the products, allows the label
    `root` anywhere, and any number of roots.

    Few arcs need labels. A label's log-probability is 0 at most, so that a tree which has some arc
    is no better than this arc and the best that each other word could have. Once the tree of arcs
    alone is labelled, arcs that no better tree can have are left out; often none remains.

    # Parameters

    arc_scores, mask, single_root :
        As of `best_trees`.
    best_labels : `Callable[[torch.Tensor, torch.Tensor], Tuple[torch.Tensor, torch.Tensor]]`
        Of arcs, `(arcs,)` the places of their dependents and of their heads in `mask.flatten()`,
        the log-probability of the best label of each, and this label.

    # Returns

    Heads, as `best_trees`, and the label of each word's arc, `(batch, n + 1)`.

    # Raises

    `ValueError` as `best_trees` does.
    """
    batch, length = mask.shape
    first = best_trees(arc_scores, mask, single_root)
    words = mask.bool().clone()
    words[:, 0] = False
    places = torch.arange(batch * length, device=mask.device).view(batch, length)
    loops = torch.eye(length, dtype=torch.bool, device=mask.device)
    arcs = words.unsqueeze(2) & mask.bool().unsqueeze(1) & ~loops
    bounds = arc_scores.detach().float()
    bounds = bounds.masked_fill(~arcs, torch.finfo(bounds.dtype).min).log_softmax(2)
    bounds = bounds.clamp(min=FORBIDDEN)

    labels = torch.zeros(bounds.shape, dtype=torch.long, device=mask.device)

    def label(*arcs: torch.Tensor) -> None:
        sentence, word, head = arcs
        chances, found = best_labels(places[sentence, word], places[sentence, head])
        bounds[arcs] += chances.float()
        labels[arcs] = found

    sentence, word = words.nonzero(as_tuple=True)
    label(sentence, word, first[sentence, word])
    chosen = bounds.gather(2, first.unsqueeze(2)).squeeze(2)
    most = bounds.amax(2)
    # How much worse than the best bounds of its words each sentence's first tree is.
    behind = (most - chosen).masked_fill(~words, 0.0).sum(1)
    possible = arcs & (most.unsqueeze(2) - bounds <= behind[:, None, None] + _SLACK)
    others = possible.clone()
    others[sentence, word, first[sentence, word]] = False
    label(*others.nonzero(as_tuple=True))
    heads = best_trees(bounds.masked_fill(~possible, -torch.inf), mask, single_root)
    return heads, labels.gather(2, heads.unsqueeze(2)).squeeze(2)
