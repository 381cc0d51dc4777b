"""Cross-entropy against the distributions of another model (Hinton et al. 2015, soft targets)."""

from typing import Union

import torch
import torch.nn.functional as F

from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax, LinearSoftmax

# A cluster of which a word's teacher is surer than this that it is not meant is left out: its part
# of the loss is smaller than that, times the cross-entropy within the cluster.
SMALLEST_SHARE = 1e-2


def soft_cross_entropy(scores: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """
    Returns `-sum_l q(l) log p(l)` of each row (nats, float32), with `p` the softmax of `scores` and
    `q` that of `taught`. Where `q` is 0, as for masked labels with score -inf, `p` does not matter.

    # Parameters

    scores, taught : `torch.Tensor`
        `(..., labels)`; `taught` gets no gradient. It may lack the last labels: their `q` is 0.
    """
    targets = taught.detach().float().softmax(-1)
    log_probs = scores.float().log_softmax(-1)[..., : targets.shape[-1]]
    log_probs = log_probs.masked_fill(targets == 0, 0.0)
    return -(targets * log_probs).sum(-1)


def soft_loss(
    output: Union[LinearSoftmax, AdaptiveSoftmax],
    x: torch.Tensor,
    teacher: Union[LinearSoftmax, AdaptiveSoftmax],
    taught: torch.Tensor,
) -> torch.Tensor:
    """
    Returns the mean of `soft_cross_entropy` over words, with the two softmaxes of student and
    teacher.

    With clusters it is a sum by the chain rule: the cross-entropy of the heads, and for each
    cluster the teacher's probability of it times the cross-entropy within it. Our choice: a cluster
    below `SMALLEST_SHARE` counts as 0, so that few words compute any.

    # Parameters

    output, teacher :
        Softmaxes of the same kind, for the same labels in the same clusters; see `learnable`.
    x : `torch.Tensor`
        `(words, input_dim)`, the input of `output`.
    taught : `torch.Tensor`
        `(words, input_dim of the teacher)`.
    """
    if isinstance(output, LinearSoftmax):
        assert isinstance(teacher, LinearSoftmax)
        return soft_cross_entropy(output.linear(x), teacher.linear(taught)).mean()
    assert isinstance(teacher, AdaptiveSoftmax)
    head = teacher.head(taught)
    total = soft_cross_entropy(output.head(x), head).sum()
    shares = head.detach().float().softmax(-1)[:, output.shortlist_size :]
    for share, cluster, others in zip(shares.unbind(1), output.clusters, teacher.clusters):
        words = (share > SMALLEST_SHARE).nonzero().flatten()
        losses = soft_cross_entropy(cluster(x[words]), others(taught[words]))
        total = total + (share[words] * losses).sum()
    return total / len(x)


def learnable(
    output: Union[LinearSoftmax, AdaptiveSoftmax], teacher: Union[LinearSoftmax, AdaptiveSoftmax]
) -> bool:
    """
    Returns whether `output` can learn from the softmax of a teacher: it needs the same clusters and
    all labels of the teacher, and may have more at the end.
    """
    ours, theirs = (
        softmax.bounds[:-1] if isinstance(softmax, AdaptiveSoftmax) else None
        for softmax in (output, teacher)
    )
    return ours == theirs and output.num_labels >= teacher.num_labels


def hidden_loss(x: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """
    Returns the mean squared difference of vectors that are each scaled to a length of 1 per number,
    so that layers with large numbers count no more than others; from 0 to 4.

    # Parameters

    x, taught : `torch.Tensor`
        `(..., dim)`; `taught` gets no gradient.
    """
    ours = F.normalize(x.float(), dim=-1)
    return (ours - F.normalize(taught.detach().float(), dim=-1)).square().sum(-1).mean()
