"""
Weights that a model takes over instead of copying them, which halves the memory and the time of
loading.
"""

import torch

from udify_allennlp.kernels.packed_embedding import tables_to_keep
from udify_allennlp.kernels.packed_weights import State, unpacked


class FreshWeights(dict[str, torch.Tensor]):
    """
    Weights by name, in float32, read for one model and used nowhere else.

    # Parameters

    state : `Mapping[str, torch.Tensor]`
        Weights as in their file; they may be `packed`.
    """

    def __init__(self, state: State) -> None:
        self.tables = tables_to_keep(state)
        """The weights that stay packed, which the mapping itself lacks."""
        super().__init__(unpacked({name: state[name] for name in state if name not in self.tables}))


def can_be_taken(model: torch.nn.Module, weights: State) -> bool:
    """
    Returns whether taking over fresh weights gives the same model as copying them: no two names
    share numbers, in the model or here, and all have the type and the device of the model's.
    """
    theirs = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    places = [weight.data_ptr() for weight in weights.values() if weight.numel()]
    if len(theirs) < _count(model) or len(set(places)) < len(places):
        return False
    return all(_alike(weight, theirs[name]) for name, weight in weights.items() if name in theirs)


def _count(model: torch.nn.Module) -> int:
    """Returns the number of names of a model's tensors; a tensor may have several."""
    parameters = model.named_parameters(remove_duplicate=False)
    return len([*parameters, *model.named_buffers(remove_duplicate=False)])


def _alike(weight: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        weight.layout == other.layout == torch.strided
        and weight.is_contiguous()
        and (weight.dtype, weight.device) == (other.dtype, other.device)
    )
