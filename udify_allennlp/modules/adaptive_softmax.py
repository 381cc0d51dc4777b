"""
Distributions over labels: a plain softmax, and one for very many labels. Both have the methods
`loss`, `predict` and `log_prob`, so a decoder can take either.
"""

from collections.abc import Sequence
from typing import Optional

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from torch.utils.checkpoint import checkpoint

from udify_allennlp.kernels.memory import at_once
from udify_allennlp.kernels.products import linear

# The label of a word that has no part in the loss: not annotated, or unseen in training.
IGNORED = -1
# Largest tensor of logits of one cluster on a CPU, in numbers (16 MiB of float32).
CHUNK_SIZE = 2**22


class LinearSoftmax(torch.nn.Module):
    """
    Softmax over a linear layer.

    # Parameters

    input_dim : `int`
        At least 1.
    num_labels : `int`
        At least 1.
    label_smoothing : `float`, optional (default = `0.0`)
        Share of the target's mass spread evenly over all labels; from 0 to below 1.

    # Raises

    `ConfigurationError` if a parameter is outside its range.
    """

    def __init__(self, input_dim: int, num_labels: int, label_smoothing: float = 0.0) -> None:
        super().__init__()
        _check(self, input_dim, num_labels, label_smoothing)
        self.num_labels = num_labels
        self.label_smoothing = label_smoothing
        self.linear = torch.nn.Linear(input_dim, num_labels)

    def loss(self, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """
        Returns the mean cross-entropy (nats, float32) of the words that have a label; 0 if none
        has.

        # Parameters

        x : `torch.Tensor`
            `(..., input_dim)`
        labels : `torch.Tensor`
            `(...)`; `IGNORED`, which is -1, or from 0 to below `num_labels`. On any device.
        """
        words, labels = x.flatten(0, -2), labels.flatten()
        total = _cross_entropy(self.linear(words), _to(labels, x), self.label_smoothing)
        return total / _count(labels)

    def predict(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the most probable label of each word `(..., input_dim)`, `(...)`."""
        return self.linear(x).argmax(-1)

    def likely(
        self, x: torch.Tensor, labels: Optional[torch.Tensor] = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the best of some `labels`, and True for each, as `AdaptiveSoftmax` does."""
        if labels is None:
            best = self.predict(x)
        else:
            best = labels[self.linear(x).index_select(-1, labels).argmax(-1)]
        return best, torch.ones_like(best, dtype=torch.bool)

    def log_prob(self, x: torch.Tensor, labels: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        Returns log-probabilities (nats, float32), `(..., labels)`, of words `(..., input_dim)`: of
        all labels, or of those with these numbers, ascending.
        """
        log_prob = self.linear(x).float().log_softmax(-1)
        return log_prob if labels is None else log_prob.index_select(-1, labels)


class AdaptiveSoftmax(torch.nn.Module):
    """
    Adaptive softmax (Grave et al. 2017): `P(l) = P_head(l)` for the frequent labels, the
    shortlist, and `P(l) = P_head(c) * P_c(l)` for a label of a cluster `c` of rarer ones. The
    clusters get narrower as their labels get rarer, and only words that need one compute it.

    **Labels must be numbered by falling frequency**, 0 for the most frequent.

    Our choices: the head has a bias, so that without clusters it is `LinearSoftmax`; smoothing is
    done inside each factor (over shortlist and clusters, then over the labels of the cluster),
    since smoothing over all labels would compute all of them for every word, which is the cost that
    adaptive softmax avoids.

    # Parameters

    input_dim : `int`
        At least 1.
    num_labels : `int`
        At least 1.
    cutoffs : `Sequence[float]`, optional (default = `(1 / 15, 3 / 15)`)
        Starts of the clusters, as rising fractions of `num_labels` between 0 and 1. A cutoff that
        would leave the shortlist or a cluster empty is dropped; `()` is a plain softmax.
    div_value : `float`, optional (default = `4.0`)
        Cluster `i`, from 1, is `input_dim / div_value**i` wide, but at least 1; at least 1.
    label_smoothing : `float`, optional (default = `0.0`)
        From 0 to below 1.
    min_labels : `int`, optional (default = `1000`)
        With fewer labels there are no clusters: a plain softmax is as fast, and not narrower.

    # Raises

    `ConfigurationError` if a parameter is outside its range.
    """

    def __init__(
        self,
        input_dim: int,
        num_labels: int,
        cutoffs: Sequence[float] = (1 / 15, 3 / 15),
        div_value: float = 4.0,
        label_smoothing: float = 0.0,
        min_labels: int = 1000,
    ) -> None:
        super().__init__()
        _check(self, input_dim, num_labels, label_smoothing)
        if list(cutoffs) != sorted(cutoffs) or any(not 0 <= cutoff <= 1 for cutoff in cutoffs):
            raise ConfigurationError(
                f"AdaptiveSoftmax: cutoffs is {list(cutoffs)}. Use rising fractions of the number "
                "of labels, between 0 and 1."
            )
        if div_value < 1:
            raise ConfigurationError(
                f"AdaptiveSoftmax: div_value is {div_value}. It must be at least 1."
            )
        self.num_labels = num_labels
        self.label_smoothing = label_smoothing
        starts = {round(cutoff * num_labels) for cutoff in cutoffs} - {0, num_labels}
        # First label of each cluster, then the end of the last one.
        self.bounds = [*(sorted(starts) if num_labels >= min_labels else []), num_labels]
        self.shortlist_size = self.bounds[0]
        self.head = torch.nn.Linear(input_dim, self.shortlist_size + len(self.bounds) - 1)
        self.clusters = torch.nn.ModuleList()
        for i, (start, end) in enumerate(zip(self.bounds, self.bounds[1:], strict=False), 1):
            dim = max(1, int(input_dim // div_value**i))
            self.clusters.append(
                torch.nn.Sequential(
                    torch.nn.Linear(input_dim, dim, bias=False),
                    torch.nn.Linear(dim, end - start, bias=False),
                )
            )

    def loss(self, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """
        Returns the mean cross-entropy (nats, float32) of the words that have a label; 0 if none
        has.

        # Parameters

        x : `torch.Tensor`
            `(..., input_dim)`
        labels : `torch.Tensor`
            `(...)`; `IGNORED`, which is -1, or from 0 to below `num_labels`. While a GPU holds
            `x`, leave them on the CPU: which words need a cluster is then known without waiting.
        """
        x, labels = x.flatten(0, -2), labels.flatten()
        head_labels = labels
        members = []
        for i, start in enumerate(self.bounds[:-1]):
            inside = (labels >= start) & (labels < self.bounds[i + 1])
            head_labels = head_labels.masked_fill(inside, self.shortlist_size + i)
            members.append(inside.nonzero().flatten())
        total = _cross_entropy(self.head(x), _to(head_labels, x), self.label_smoothing)
        for i, words in enumerate(members):
            # A cluster with more words than fit a chunk is computed chunk by chunk, and
            # again in the backward pass, so that its logits never lie in memory at once.
            for chunk in self._chunks(words, i):
                rows = x if len(chunk) == len(x) else x.index_select(0, _to(chunk, x))
                inputs = (i, rows, _to(labels[chunk] - self.bounds[i], x))
                if len(chunk) == len(words):
                    total = total + self._cluster_loss(*inputs)
                else:
                    total = total + checkpoint(
                        self._cluster_loss, *inputs, use_reentrant=False, preserve_rng_state=False
                    )
        return total / _count(labels)

    @torch.no_grad()
    def predict(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the most probable label of each word `(..., input_dim)`, exactly, `(...)`."""
        words = x.flatten(0, -2)
        labels, is_best = self.likely(words)
        others = (~is_best).nonzero().flatten()
        size = max(1, CHUNK_SIZE // self.num_labels)
        for some in others.split(size) if len(others) else ():
            labels[some] = self.log_prob(words[some]).argmax(-1)
        return labels.view(x.shape[:-1])

    def likely(
        self, x: torch.Tensor, labels: Optional[torch.Tensor] = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns a frequent label of each word `(words, input_dim)`, and whether no label is more
        probable, `(words,)` each, from the head alone.

        # Parameters

        x : `torch.Tensor`
        labels : `Optional[torch.Tensor]`
            The numbers of the only labels to consider, ascending; by default all. One of them is
            below `shortlist_size`.
        """
        size = self.shortlist_size
        if labels is not None:
            labels = labels[labels < size]
            size = len(labels)
        if size == self.shortlist_size:
            head = self.head(x)
        else:
            assert labels is not None
            clusters = torch.arange(self.shortlist_size, len(self.head.weight), device=x.device)
            rows = torch.cat([labels, clusters])
            head = linear(x, self.head.weight[rows], self.head.bias[rows])
        # P_head(c) * P_c(l) <= P_head(c): a cluster that is not more probable as a whole than a
        # frequent label holds no better label.
        top, best = head[:, :size].max(-1)
        is_best = (head[:, size:] <= top.unsqueeze(-1)).all(-1)
        return best if labels is None else labels[best], is_best

    def log_prob(self, x: torch.Tensor, labels: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        Returns log-probabilities (nats, float32), `(..., labels)`, of words `(..., input_dim)`: of
        all labels, or of those with these numbers, ascending. All of them are computed, so for a
        few words at a time.
        """
        head = self.head(x).float().log_softmax(-1)
        parts = [_between(labels, 0, self.shortlist_size, head)]
        for i, cluster in enumerate(self.clusters):
            start, end, place = self.bounds[i], self.bounds[i + 1], self.shortlist_size + i
            if labels is None or ((labels >= start) & (labels < end)).any():
                of_cluster = _between(labels, start, end, cluster(x).float().log_softmax(-1))
                parts.append(head[..., place : place + 1] + of_cluster)
        return torch.cat(parts, -1)

    def _cluster_loss(self, i: int, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """
        Returns the sum over words `(words, input_dim)`, with `labels` counted from the cluster's
        first.
        """
        return _cross_entropy(self.clusters[i](x), labels, self.label_smoothing)

    def _chunks(self, words: torch.Tensor, i: int) -> Sequence[torch.Tensor]:
        """
        Returns chunks of as many words as cluster `i` takes at once; no chunk, rather than an empty
        one.
        """
        labels = self.bounds[i + 1] - self.bounds[i]
        size = max(1, at_once(CHUNK_SIZE, self.head.weight.device) // labels)
        return words.split(size) if len(words) > 0 else ()


def _check(
    module: torch.nn.Module, input_dim: int, num_labels: int, label_smoothing: float
) -> None:
    name = type(module).__name__
    if input_dim < 1 or num_labels < 1:
        raise ConfigurationError(
            f"{name}: input_dim is {input_dim} and num_labels is {num_labels}. Each must be at "
            "least 1; without labels, the training data has none for this task."
        )
    if not 0 <= label_smoothing < 1:
        raise ConfigurationError(f"{name}: label_smoothing is {label_smoothing}, outside [0, 1).")


def _between(
    labels: Optional[torch.Tensor], start: int, end: int, log_prob: torch.Tensor
) -> torch.Tensor:
    """
    Returns the log-probabilities of those of some labels, or of all, that are from `start` to
    before `end`; `log_prob` begins with that of `start`.
    """
    if labels is None:
        return log_prob[..., : end - start]
    return log_prob.index_select(-1, labels[(labels >= start) & (labels < end)] - start)


def _to(labels: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Returns `labels` on the device of `like`; a copy to a GPU is queued, without waiting."""
    if like.is_cuda and not labels.is_cuda:
        labels = labels.pin_memory()
    return labels.to(like.device, non_blocking=True)


def _count(labels: torch.Tensor) -> torch.Tensor:
    """Returns the number of labels, at least 1."""
    return (labels != IGNORED).sum().clamp(min=1)


def _cross_entropy(logits: torch.Tensor, labels: torch.Tensor, smoothing: float) -> torch.Tensor:
    """
    Returns the sum over the words with a label, in float32; 0, still with a graph, if none has one.
    """
    return F.cross_entropy(
        logits.float(), labels, ignore_index=IGNORED, reduction="sum", label_smoothing=smoothing
    )
