"""Mixed precision on the stand-in, as in CUDA."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_map

from tests.stand_in.tensor import NAME

# What autocast computes in 16 bits and in 32 on a GPU, of that what models have.
_LOWERED = "addmm baddbmm bmm conv1d linear lstm_cell matmul mm mv scaled_dot_product_attention"
_RAISED = (
    "cumsum exp expm1 layer_norm log log1p log_softmax.int nll_loss norm.Scalar norm.ScalarOpt_dim "
    "pow.Tensor_Scalar pow.Tensor_Tensor prod reciprocal rsqrt softmax.int softplus sum "
    "sum.dim_IntList"
)
_AUTOCAST = "AutocastPrivateUse1"


def casting() -> list[torch.library.Library]:
    """Makes autocast cast on the device, for as long as what is returned is kept."""
    rest = torch.library.Library("_", "IMPL", _AUTOCAST)
    rest.fallback(torch.library.fallthrough_kernel)
    ours = torch.library.Library("aten", "IMPL", _AUTOCAST)
    for name in _LOWERED.split():
        ours.impl(name, _cast(name, lambda: torch.get_autocast_dtype(NAME)), _AUTOCAST)
    for name in _RAISED.split():
        ours.impl(name, _cast(name, lambda: torch.float32), _AUTOCAST)
    return [rest, ours]


def _cast(name: str, dtype: Callable[[], torch.dtype]) -> Callable[..., Any]:
    operator, _, overload = name.partition(".")
    function = getattr(getattr(torch.ops.aten, operator), overload or "default")
    off = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, _AUTOCAST))

    def cast(x: Any) -> Any:
        is_number = isinstance(x, torch.Tensor) and x.is_floating_point()
        return x.to(dtype()) if is_number and x.dtype != torch.float64 else x

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(off):
            return function(*tree_map(cast, args), **tree_map(cast, kwargs))

    return kernel
