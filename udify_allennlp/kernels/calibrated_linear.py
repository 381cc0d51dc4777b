"""Linear layers that compute in 8 bits with a scale for their inputs that was measured before."""

from collections.abc import Mapping
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.memory import keep_few_products
from udify_allennlp.kernels.precision import Int8Linear, int8_is_exact
from udify_allennlp.kernels.products import FastLinear, linear
from udify_allennlp.kernels.quantized_tensor import QuantizedTensor, rounded_inputs


class CalibratedLinear(torch.nn.Linear):
    """
    `x W^T + b` with both factors in 8 bits: each row of `W` has a scale, and all of `x` has one,
    which is the same for all inputs (Wu et al. 2020, "Integer quantization for deep learning
    inference"; Mohammadshahi 2023, section 5.2.2).

    The product is of whole numbers if the processor supports it. Otherwise, as on a GPU, both
    factors are rounded in the same way and multiplied in float32, so results differ by no more than
    the order of sums. The weights stay in float32 as well, so that the model can be saved.

    # Parameters

    layer : `torch.nn.Linear`
        Float32, with weights that 8 bits represent exactly, as in an archive. Its parameters are
        shared.
    input_scale : `torch.Tensor`
        A scalar above 0.
    """

    def __init__(self, layer: torch.nn.Linear, input_scale: torch.Tensor) -> None:
        torch.nn.Module.__init__(self)  # not that of Linear, which draws weights
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.weight, self.bias = layer.weight, layer.bias
        # A copy: the file that it is mapped from may go.
        scale = input_scale.detach().clone().to(layer.weight.device, torch.float32)
        self.register_buffer("input_scale", scale, persistent=False)
        self.input_scale: torch.Tensor
        self._multiplies_int8 = int8_is_exact()
        self._laid_out: Optional[QuantizedTensor] = None
        self.train(layer.training)

    def __getstate__(self) -> dict[str, Any]:
        # What is laid out for the processor can be neither copied nor saved.
        return {**self.__dict__, "_laid_out": None}

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """`(..., in_features)` to `(..., out_features)`, float32; no gradient."""
        with torch.no_grad():
            if self.weight.device.type != "cpu" or not self._multiplies_int8:
                return linear(rounded_inputs(input, self.input_scale), self.weight, self.bias)
            if self._laid_out is None:
                self._laid_out = QuantizedTensor.of_rows(self.weight.detach()).laid_out()
            bias = torch.zeros(self.out_features) if self.bias is None else self.bias.detach()
            return self._laid_out.matmul(input, bias, self.input_scale)


def use_input_scales(model: torch.nn.Module, scales: Mapping[str, torch.Tensor]) -> None:
    """
    Makes the linear layers of a loaded model `CalibratedLinear`, in place. A model that was
    requested in a precision other than float32 keeps it.

    # Parameters

    scales : `Mapping[str, torch.Tensor]`
        Scales of the inputs, scalars, by the names of weights.

    # Raises

    `ConfigurationError` if a scale is not a number above 0, or the model has no such linear layer.
    """
    modules = dict(model.named_modules())
    for name, scale in scales.items():
        parent, _, child = name.removesuffix(".weight").rpartition(".")
        layer = modules.get(f"{parent}.{child}" if parent else child)
        if type(layer) not in (torch.nn.Linear, FastLinear, Int8Linear):
            raise ConfigurationError(
                f"rejected, it has a scale for the inputs of {name!r:.80}, and the model has no "
                "such linear layer. Pack the model again."
            )
        is_number = scale.dim() == 0 and scale.is_floating_point()
        if not is_number or not torch.isfinite(scale) or scale <= 0:
            raise ConfigurationError(
                f"rejected, the scale for the inputs of {name} is not a number above 0. Pack the "
                "model again."
            )
        if isinstance(layer, torch.nn.Linear) and layer.weight.dtype == torch.float32:
            keep_few_products()
            setattr(modules[parent], child, CalibratedLinear(layer, scale))
