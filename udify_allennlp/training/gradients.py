"""The norm of gradients, some of which may be sparse."""

from typing import Union

import torch


def clip_norm(model: torch.nn.Module, limit: Union[float, bool]) -> torch.Tensor:
    """
    Returns the norm of all gradients together; if it exceeds `limit`, they are scaled down to it.
    `True` means no limit. Like `torch.nn.utils.clip_grad_norm_`, but some gradients may be sparse;
    these are coalesced.
    """
    values = []
    for parameter in model.parameters():
        if parameter.grad is not None and parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
            values.append(parameter.grad._values())
        elif parameter.grad is not None:
            values.append(parameter.grad)
    norm = torch.nn.utils.get_total_norm(values)
    if limit is not True:
        torch._foreach_mul_(values, (limit / (norm + 1e-6)).clamp(max=1.0))
    return norm
