"""
Products in float32 by oneDNN, where it is the faster of PyTorch's two libraries: MKL does not use
AVX-512 on other processors than Intel's, and takes twice as long there.
"""

from collections.abc import Iterator
from functools import cache
from typing import Optional

import torch
import torch.nn.functional as F

from udify_allennlp.kernels.memory import keep_few_products

# Multiplications and additions below which oneDNN is not worth its call.
LEAST = 2**21
# oneDNN keeps programs for each number of rows; the words of a batch, as many as there happen to
# be, are filled up to a multiple of this. Others than 64 need more memory, or more time.
ROWS = 64
_CPU_INFO = "/proc/cpuinfo"


def linear(
    input: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor] = None
) -> torch.Tensor:
    """
    Returns `x W^T + b`, `(..., in)` to `(..., out)`, like `torch.nn.functional.linear`. Products
    without a gradient use oneDNN where it is faster (`is_faster`); it adds float32 numbers in
    another order, so results differ in their last digits.
    """
    is_worth_it = (
        torch.backends.mkldnn.enabled
        and input.numel() * len(weight) >= LEAST
        and input.device.type == weight.device.type == "cpu"
        and not torch.is_grad_enabled()
    )
    if not is_worth_it:
        return F.linear(input, weight, bias)
    in_bfloat16 = torch.is_autocast_enabled("cpu")
    in_float32 = not in_bfloat16 and is_faster() and input.dtype == weight.dtype == torch.float32
    rows = len(input)
    if input.dim() == 2 and (in_bfloat16 or in_float32):
        input = F.pad(input, (0, 0, 0, -rows % ROWS))
    if in_float32:
        product = torch.ops.mkldnn._linear_pointwise(input, weight, bias, "none", [], "")
    else:
        product = F.linear(input, weight, bias)
    return product[:rows]


class FastLinear(torch.nn.Linear):
    """
    `linear` with the parameters of another layer, trained, saved and loaded like that one.

    # Parameters

    layer : `torch.nn.Linear`
        The layer whose parameters are shared.
    """

    def __init__(self, layer: torch.nn.Linear) -> None:
        torch.nn.Module.__init__(self)  # not that of Linear, which draws weights
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.weight, self.bias = layer.weight, layer.bias
        self.train(layer.training)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Maps `(..., in_features)` to `(..., out_features)`."""
        return linear(input, self.weight, self.bias)


def linear_layers(
    module: torch.nn.Module,
) -> Iterator[tuple[torch.nn.Module, str, torch.nn.Linear]]:
    """
    Yields each linear layer of a module, after its parent and its name there. Other subclasses than
    `FastLinear` are left out, since their users read the weight as well, or they compute more.
    """
    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if isinstance(child, torch.nn.Linear) and type(child) in (torch.nn.Linear, FastLinear):
                yield parent, name, child


def speed_up(module: torch.nn.Module) -> None:
    """
    Replaces each linear layer of a module with a `FastLinear`, in place, where that is faster.
    """
    if not is_faster():
        return
    keep_few_products()
    for parent, name, layer in linear_layers(module):
        if not isinstance(layer, FastLinear):
            setattr(parent, name, FastLinear(layer))


@cache
def is_faster() -> bool:
    """Returns whether this is an AMD processor with AVX-512, and a PyTorch with both libraries."""
    return (
        hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and torch.backends.mkldnn.is_available()
        and torch.backends.mkl.is_available()
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
        and _maker() == "AuthenticAMD"
    )


def _maker() -> str:
    """Returns the maker that the processor reports; empty if the system does not know it."""
    try:
        with open(_CPU_INFO, encoding="utf-8", errors="replace") as lines:
            return next((x.split(":")[1].strip() for x in lines if x.startswith("vendor_id")), "")
    except OSError:
        return ""
