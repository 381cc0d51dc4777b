"""
Products in float32 by oneDNN, where that is the faster of PyTorch's two libraries: MKL leaves
AVX-512 alone on processors that are not Intel's, and takes twice as long there.
"""

from functools import lru_cache

import torch

# Multiplications and additions below which oneDNN is not worth its call.
LEAST = 2**21
_CPU_INFO = "/proc/cpuinfo"


class OneDnnLinear(torch.nn.Linear):
    """
    `x W^T + b` of another linear layer, whose parameters it has: it is trained, saved and loaded as
    that one is. oneDNN does what is not recorded for a gradient; sums of float32 come in another
    order then, and differ in their last digits.

    # Parameters

    linear : `torch.nn.Linear`
        Its parameters are shared.
    """

    def __init__(self, linear: torch.nn.Linear) -> None:
        torch.nn.Module.__init__(self)  # not that of Linear, which draws weights
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight, self.bias = linear.weight, linear.bias
        self.train(linear.training)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """`(..., in_features)` to `(..., out_features)`."""
        plain = (
            input.numel() * self.out_features < LEAST
            or input.dtype != torch.float32
            or self.weight.dtype != torch.float32
            or not input.device.type == self.weight.device.type == "cpu"
            or torch.is_grad_enabled()
            or torch.is_autocast_enabled("cpu")
            or not torch.backends.mkldnn.enabled
        )
        if plain:
            return super().forward(input)
        return torch.ops.mkldnn._linear_pointwise(input, self.weight, self.bias, "none", [], "")


def use_onednn(encoder: torch.nn.Module) -> None:
    """
    Give the linear layers of an encoder to oneDNN, in place, where it is faster; see `is_faster`.
    """
    if not is_faster():
        return
    for module in list(encoder.modules()):
        for name, child in module.named_children():
            # Not its subclasses, which may do more than a product.
            if type(child) is torch.nn.Linear:
                setattr(module, name, OneDnnLinear(child))


@lru_cache(maxsize=None)
def is_faster() -> bool:
    """Whether this is a processor of AMD with AVX-512, and a PyTorch with both libraries."""
    return (
        hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and torch.backends.mkldnn.is_available()
        and torch.backends.mkl.is_available()
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
        and _maker() == "AuthenticAMD"
    )


def _maker() -> str:
    """What the processor calls its maker; empty where the system does not say."""
    try:
        with open(_CPU_INFO, encoding="utf-8", errors="replace") as lines:
            return next((x.split(":")[1].strip() for x in lines if x.startswith("vendor_id")), "")
    except OSError:
        return ""
