"""The losses of SMaLL-100 (Mohammadshahi 2023, section 6.2.2)."""

from typing import Optional

import torch
import torch.nn.functional as F

from udify_allennlp.modules.soft_labels import soft_cross_entropy


def gold_loss(
    scores: torch.Tensor, labels: torch.Tensor, label_smoothing: float = 0.0
) -> torch.Tensor:
    """
    Returns `L_ce` (Eq 6.1), the mean over target pieces (nats), float32. Table 6.8 smooths labels
    by 0.1: a share of the gold distribution is spread over all pieces.

    # Parameters

    scores : `torch.Tensor`
        `(tokens, pieces)`, before the softmax.
    labels : `torch.Tensor`
        `(tokens,)`.
    """
    return F.cross_entropy(scores.float(), labels, label_smoothing=label_smoothing)


def distillation_loss(
    scores: torch.Tensor, taught: torch.Tensor, top: Optional[int] = None
) -> torch.Tensor:
    """
    Returns `L_kd` (Eq 6.2): the mean over target pieces of the cross-entropy between the teacher's
    distribution, given the previous gold pieces, and the student's, without temperature.

    # Parameters

    scores, taught : `torch.Tensor`
        `(tokens, pieces)`, before the softmax; `taught` gets no gradient.
    top : `Optional[int]`
        Departure from Eq 6.2, which sums over all pieces: the teacher's distribution is limited to
        this many best pieces, and sums to 1 over them.
    """
    if top is not None and top < taught.shape[-1]:
        least = taught.topk(top, dim=-1).values[:, -1:]
        taught = taught.masked_fill(taught < least, -torch.inf)
    return soft_cross_entropy(scores, taught).mean()
