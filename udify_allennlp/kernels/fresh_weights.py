"""Weights that a model takes instead of copying them: half the memory of loading, and its time."""

import torch

from udify_allennlp.kernels.packed_embedding import tables_to_keep
from udify_allennlp.kernels.packed_weights import State, unpacked


class FreshWeights(dict[str, torch.Tensor]):
    """
    Weights by name, in float32, that were read for one model and belong to nobody else.

    # Parameters

    state : `Mapping[str, torch.Tensor]`
        As they were read; they may be `packed`.
    """

    def __init__(self, state: State) -> None:
        self.tables = tables_to_keep(state)
        """Those that stay packed, which are not among the others."""
        super().__init__(unpacked({name: state[name] for name in state if name not in self.tables}))


def can_be_taken(model: torch.nn.Module, weights: State) -> bool:
    """
    Returns whether taking fresh weights leaves the same model as copying them: no two names share
    numbers, in the model or here, and all are of the type and on the device that the model has.
    """
    theirs = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    places = [weight.data_ptr() for weight in weights.values() if weight.numel()]
    if len(theirs) < _count(model) or len(set(places)) < len(places):
        return False
    return all(_alike(weight, theirs[name]) for name, weight in weights.items() if name in theirs)


def _count(model: torch.nn.Module) -> int:
    """Returns how many names of tensors a model has; several may be of the same one."""
    parameters = model.named_parameters(remove_duplicate=False)
    return len([*parameters, *model.named_buffers(remove_duplicate=False)])


def _alike(weight: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        weight.layout == other.layout == torch.strided
        and weight.is_contiguous()
        and (weight.dtype, weight.device) == (other.dtype, other.device)
    )
