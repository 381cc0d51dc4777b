"""Magnitude pruning, layer by layer (Mohammadshahi 2023, section 5.2.2)."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from torch.nn import ModuleList, Parameter


def layers_of(model: torch.nn.Module) -> dict[str, list[Parameter]]:
    """
    Returns the parameters of each layer, by the name of a module. A layer is a member of a list of
    modules, such as one layer of a Transformer; elsewhere it is a module whose parts have no
    further parts: embeddings with their norm, the scorer of arcs. A parameter with several names,
    such as tied embeddings, belongs only to the first of its layers.

    Modules without a matrix are not layers: a number in a mixture of layers scales the whole input
    of a task, and a shipped parser without it predicted no trees. The thesis does not mention the
    parts above a Transformer. One threshold for a whole decoder would remove half of the arc
    scorer's weights at a share of 0.3, since those of relations are larger.
    """
    seen: set[Parameter] = set()
    layers: dict[str, list[Parameter]] = {}
    for name, parameters in _groups("", model):
        new = [weight for weight in dict.fromkeys(parameters) if weight not in seen]
        seen.update(new)
        if any(weight.dim() > 1 for weight in new):
            layers[name] = new
    return layers


def _groups(name: str, module: torch.nn.Module) -> Iterator[tuple[str, list[Parameter]]]:
    children = list(module.named_children())
    if not any(list(child.children()) for _, child in children):
        yield name, list(module.parameters())
        return
    yield name, list(module.parameters(recurse=False))
    for child_name, child in children:
        full_name = f"{name}.{child_name}" if name else child_name
        if isinstance(module, ModuleList):
            yield full_name, list(child.parameters())
        else:
            yield from _groups(full_name, child)


def prune(model: torch.nn.Module, share: float) -> None:
    """
    Sets the `share` of smallest magnitude among all parameters of each layer to zero, in place:
    there is one threshold for a layer, regardless of its modules. Thresholds for each module were
    worse (section 5.7).

    # Parameters

    share : `float`
        From 0 to 1 (thesis: 0.3 and 0.45).

    # Raises

    `ConfigurationError` if it is outside.
    """
    if not 0 <= share <= 1:
        raise ConfigurationError(f"--prune is {share}. Use a share from 0 to 1, such as 0.3.")
    for parameters in layers_of(model).values():
        prune_layer([parameter.data for parameter in parameters], share)


def prune_layer(weights: Sequence[torch.Tensor], share: float) -> None:
    """
    Sets exactly `floor(share * n)` of the `n` numbers in `weights` to zero, in place: those of
    smallest magnitude, and of equal ones those that come first.
    """
    magnitudes = numpy.concatenate([weight.abs().flatten().cpu().numpy() for weight in weights])
    # The share as it was written: 0.29 * 100 is below 29 in binary.
    count = math.floor(Fraction(repr(float(share))) * len(magnitudes))
    if not count:
        return
    threshold = numpy.partition(magnitudes, count - 1)[count - 1]
    is_pruned = magnitudes < threshold
    ties = numpy.flatnonzero(magnitudes == threshold)
    is_pruned[ties[: count - int(is_pruned.sum())]] = True
    parts = torch.from_numpy(is_pruned).split([weight.numel() for weight in weights])
    for weight, part in zip(weights, parts):
        weight.masked_fill_(part.view(weight.shape).to(weight.device), 0.0)
