"""The weights of labels in a model that has more labels than another, or other ones."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, count, pairwise, takewhile

import torch

from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax

State = Mapping[str, torch.Tensor]


def keep_clusters(model: torch.nn.Module, state: State) -> None:
    """
    Gives each adaptive softmax of `model` the clusters that it has in `state`: their borders are
    fractions of the number of labels, which may have grown. Labels beyond these belong to the last
    cluster.
    """
    for name, module in list(model.named_modules()):
        if not isinstance(module, AdaptiveSoftmax) or f"{name}.head.weight" not in state:
            continue
        starts = _cluster_starts(state, name)
        if starts != module.bounds[:-1]:
            parent = model.get_submodule(name.rpartition(".")[0])
            new = AdaptiveSoftmax(
                module.head.in_features,
                module.num_labels,
                cutoffs=[start / module.num_labels for start in starts],
                label_smoothing=module.label_smoothing,
                min_labels=1,
            )
            setattr(parent, name.rpartition(".")[2], new.to(module.head.weight.device))


def with_own_labels(
    model: torch.nn.Module,
    trained: State,
    name: str,
    old: Mapping[str, int],
    new: Sequence[str],
) -> dict[str, torch.Tensor]:
    """
    Returns the weights `trained` with those of the softmax `name` for the labels `new` of `model`
    instead of `old`. Those that both have start from the trained ones in full width, also if they
    belong to a narrow cluster of an adaptive softmax: its logit is then that of the cluster and its
    own, less the logarithm of the size of the cluster. Labels in clusters of `model`, and those
    that the trained model lacks, start as in a new one.
    """
    found = {key: weight for key, weight in trained.items() if not key.startswith(f"{name}.")}
    softmax = model.get_submodule(name)
    own = {key: weight.clone() for key, weight in softmax.state_dict().items()}
    part = "head" if isinstance(softmax, AdaptiveSoftmax) else "linear"
    ends = softmax.shortlist_size if isinstance(softmax, AdaptiveSoftmax) else len(new)
    both = [(number, old[label]) for number, label in enumerate(new[:ends]) if label in old]
    if both:
        ours, theirs = torch.tensor(both).unbind(1)
        for key, rows in zip(("weight", "bias"), _rows(trained, name, theirs), strict=True):
            own[f"{part}.{key}"][ours] = rows
    return {**found, **{f"{name}.{key}": weight for key, weight in own.items()}}


def _rows(state: State, name: str, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Returns the weights `(n, input_dim)` and biases `(n,)` of labels `(n,)` of a softmax, as if it
    were a plain one.
    """
    if f"{name}.linear.weight" in state:
        return state[f"{name}.linear.weight"][labels], state[f"{name}.linear.bias"][labels]
    weight, bias = state[f"{name}.head.weight"], state[f"{name}.head.bias"]
    clusters = [*_clusters(state, name)]
    shortlist = len(bias) - len(clusters)
    bounds = accumulate(map(len, (own for _, own in clusters)), initial=shortlist)
    heads = labels.clone()
    for number, (start, end) in enumerate(pairwise(bounds)):
        heads[(start <= labels) & (labels < end)] = shortlist + number
    weights, biases = weight[heads].clone(), bias[heads].clone()
    start = shortlist
    for number, (narrow, own) in enumerate(clusters):
        inside = heads == shortlist + number
        weights[inside] += own[labels[inside] - start] @ narrow
        biases[inside] -= torch.tensor(float(len(own))).log()
        start += len(own)
    return weights, biases


def _clusters(state: State, name: str) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """
    Yields the two weights of each cluster, `(width, input_dim)` and `(labels of it, width)`.
    """
    prefixes = (f"{name}.clusters.{number}" for number in count())
    for prefix in takewhile(lambda prefix: f"{prefix}.1.weight" in state, prefixes):
        yield state[f"{prefix}.0.weight"], state[f"{prefix}.1.weight"]


def _cluster_starts(state: State, name: str) -> list[int]:
    """Returns the first label of each cluster, derived from the shapes of the weights."""
    sizes = [len(own) for _, own in _clusters(state, name)]
    shortlist = len(state[f"{name}.head.weight"]) - len(sizes)
    return list(accumulate(sizes, initial=shortlist))[:-1]
