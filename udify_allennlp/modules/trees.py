"""
Search for the best dependency tree: the maximum spanning arborescence (Chu and Liu 1965, Edmonds
1967) among those with exactly one child of ROOT, as Universal Dependencies requires, or among all.
Index 0 is ROOT, the words are 1..n; arc scores are `[batch, dependent, head]`.
"""

import torch

from udify_allennlp.modules.tree_search import best_heads


def best_trees(
    arc_scores: torch.Tensor, mask: torch.Tensor, single_root: bool = True
) -> torch.LongTensor:
    """
    Returns the best tree of each sentence: every word has one head, no cycle, one child of ROOT.

    With equal scores, the same input gives the same tree in every run, for any batch.

    # Parameters

    arc_scores : `torch.Tensor`
        `(batch, n + 1, n + 1)`, any floating type; `[b, d, h]` is the log-score of the arc from
        head `h` to dependent `d`, and a tree's score is the sum over its arcs. Row 0 and the
        diagonal are not read. `-inf` forbids an arc: a tree has as few of these as possible.
    mask : `torch.Tensor`
        `(batch, n + 1)`, True on ROOT and on real words. Scores of padding are not read.
    single_root : `bool`
        True if ROOT has exactly one child; otherwise it has at least one, as in the released code
        of UDify.

    # Returns

    `torch.LongTensor`
        Heads, `(batch, n + 1)`, on the device of `arc_scores`; 0 for ROOT and for padding.

    # Raises

    `ValueError` if shapes do not match, or if a score of a real arc is NaN or +inf.
    """
    scores = arc_scores.detach()
    if scores.dtype not in (torch.float32, torch.float64):
        scores = scores.float()
    heads = best_heads(scores.cpu().numpy(), mask.cpu().numpy(), single_root)
    return torch.from_numpy(heads).to(arc_scores.device)  # type: ignore[return-value]
