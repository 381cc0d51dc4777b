"""One word vector from all layers of the encoder (UDify, sections 3.2, 3.4.1 and 3.4.4)."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Optional, cast

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.dropout import random_keep

LAYER_ATTENTION = {
    "task": (slice(None), "attention"),
    "global": (slice(None), "attention"),
    "sum": (slice(None), "sum"),
    "last": (slice(-1, None), "sum"),
    "second_to_last": (slice(-2, -1), "sum"),
    "sum_last_four": (slice(-4, None), "sum"),
    "concat_last_four": (slice(-4, None), "concatenation"),
}
"""The layers to mix for each kind of `TaskMixes`, and the mode of `LayerMix`."""


class LayerMix(torch.nn.Module):
    """
    Layer attention `e_j = beta * sum_i B_ij * softmax(alpha)_i` (UDify, equation 3.1).

    In training each `alpha_i` is set to -inf with probability `layer_dropout`, one draw for the
    whole batch, and every number of every layer is dropped with probability `dropout` before the
    mixture. Our choice: when all layers are drawn, one of them, chosen uniformly, survives (the
    mean of all in the released code). Departures from that code, which the thesis does not mention:
    it drops layers in evaluation, too, so that its scores differ from run to run; and it draws one
    dropout for all tasks, while each task has its own here. The thesis describes its ablation only
    as "simple sum of layers" (table 4.3); our choice for `sum` is weights of 1, the same `dropout`,
    and no layer dropout, since there is no `alpha`.

    # Parameters

    num_layers : `int`
        At least 1.
    mode : `str`, optional (default = `"attention"`)
        `attention`; or `sum` for the plain sum, or `concatenation` for vectors as wide as all
        layers together, neither of which has parameters.
    layer_dropout : `float`, optional (default = `0.1`)
        From 0 to below 1.
    dropout : `float`, optional (default = `0.5`)
        From 0 to below 1; rounded to the nearest of 256 steps (0.5 is exact), since it is drawn
        from random bytes, several times faster on a CPU than from random floats.
    initial_beta : `float`, optional (default = `1.0`)
        Initial `beta`, above 0, which the thesis does not specify. With 1 the mixture starts as the
        mean of the layers, with `num_layers` as their sum.

    # Raises

    `ConfigurationError` if a parameter is outside its range.
    """

    ones: torch.Tensor

    def __init__(
        self,
        num_layers: int,
        mode: str = "attention",
        layer_dropout: float = 0.1,
        dropout: float = 0.5,
        initial_beta: float = 1.0,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ConfigurationError(
                f"LayerMix: num_layers is {num_layers}. It must be at least 1."
            )
        if mode not in ("attention", "sum", "concatenation"):
            raise ConfigurationError(
                f"LayerMix: mode is {mode!r}. Use 'attention', 'sum' or 'concatenation'."
            )
        for name, rate in (("layer_dropout", layer_dropout), ("dropout", dropout)):
            if not 0 <= rate < 1:
                raise ConfigurationError(f"LayerMix: {name} is {rate}, outside [0, 1).")
        if not initial_beta > 0:
            raise ConfigurationError(
                f"LayerMix: initial_beta is {initial_beta}. It must be above 0."
            )
        self.num_layers = num_layers
        self.concatenates = mode == "concatenation"
        self.layer_dropout = layer_dropout
        self.dropout = dropout
        self.alpha: Optional[torch.nn.Parameter] = None
        self.beta: Optional[torch.nn.Parameter] = None
        if mode == "attention":
            self.alpha = torch.nn.Parameter(torch.zeros(num_layers))
            self.beta = torch.nn.Parameter(torch.tensor(float(initial_beta)))
        # Follows the module from device to device, for `sum`, which has no parameter that does.
        self.register_buffer("ones", torch.ones(num_layers), persistent=False)

    @property
    def weights(self) -> torch.Tensor:
        """The factor of each layer when nothing is dropped, `(num_layers,)`; no gradient."""
        return self._weights(self.ones.bool()).detach()

    def forward(self, layers: torch.Tensor) -> torch.Tensor:
        """
        Mixes layers `(num_layers, words, dim)` of the words of all sentences, lowest first, to
        vectors `(words, dim)`, or `(words, num_layers * dim)` if they are concatenated.

        # Raises

        `ValueError` if the number of layers differs.
        """
        if len(layers) != self.num_layers:
            raise ValueError(
                f"LayerMix was built for {self.num_layers} layers and was given {len(layers)}."
            )
        if self.concatenates:
            return torch.cat(list(F.dropout(layers, self.dropout, self.training)), -1)
        keep = self.ones.bool()
        if self.training:
            draws = torch.rand_like(self.ones)
            keep = draws >= self.layer_dropout
            # The largest draw is a survivor anyway, unless there is none.
            keep = keep.index_fill(0, draws.argmax(), True)
        weights = self._weights(keep).to(layers.dtype)
        if not self.training or self.dropout == 0:
            return torch.tensordot(weights, layers, dims=1)
        return _DropAndMix.apply(layers, weights, self.dropout)

    def _weights(self, keep: torch.Tensor) -> torch.Tensor:
        """Returns weights `(num_layers,)`, 0 where `keep` is False; `sum` ignores `keep`."""
        if self.alpha is None or self.beta is None:
            return self.ones
        return self.beta * self.alpha.masked_fill(~keep, -torch.inf).softmax(0)


class _DropAndMix(torch.autograd.Function):
    """
    `sum_i weights_i * dropout(layers_i)`. Autograd would keep dropped copies of all layers for each
    task, most of a decoder's memory; this keeps one byte per number.
    """

    @staticmethod
    def forward(
        ctx: Any, layers: torch.Tensor, weights: torch.Tensor, dropout: float
    ) -> torch.Tensor:
        """
        Maps layers `(num_layers, words, dim)` and `weights` `(num_layers,)` to `(words, dim)`.
        """
        keep, scale = random_keep(layers, dropout)
        ctx.save_for_backward(layers, weights, keep)
        ctx.scale = scale
        with _no_autocast(layers.device.type):  # it would round each layer before the sum
            return torch.tensordot(weights * scale, layers * keep, dims=1)

    @staticmethod
    def backward(
        ctx: Any, grad: torch.Tensor
    ) -> tuple[Optional[torch.Tensor], Optional[torch.Tensor], None]:
        layers, weights, keep = ctx.saved_tensors
        passed = (grad * ctx.scale) * keep
        grad_weights = torch.bmm(passed.flatten(1).unsqueeze(1), layers.flatten(1).unsqueeze(2))
        grad_layers = None
        if ctx.needs_input_grad[0]:
            grad_layers = passed.mul_(weights.view(-1, *[1] * grad.dim()))
        return grad_layers, grad_weights.flatten(), None


def _no_autocast(device_type: str) -> AbstractContextManager[Any]:
    available = torch.amp.is_autocast_available(device_type)
    return torch.autocast(device_type, enabled=False) if available else nullcontext()


class TaskMixes(torch.nn.ModuleDict):
    """
    A `LayerMix` for each task, or one for all.

    # Parameters

    tasks : `Iterable[str]`
    num_layers : `int`
        The layers of the encoder.
    kind : `str`
        `task`: a mixture for each task; `global`: one for all; `sum`: the plain sum of the layers
        (thesis, Table 4.3); `last`: only the topmost layer; from Table 3.2, `second_to_last`,
        `sum_last_four`, and `concat_last_four`, whose vectors are four times as wide.
    **settings :
        Settings of each `LayerMix`: `layer_dropout`, `dropout` and `initial_beta`.

    # Raises

    `ConfigurationError` if the kind is unknown, or the encoder has too few layers for it.
    """

    def __init__(self, tasks: Iterable[str], num_layers: int, kind: str, **settings: float) -> None:
        if kind not in LAYER_ATTENTION:
            raise ConfigurationError(
                f"model.layer_attention is {kind!r}. Use one of {', '.join(LAYER_ATTENTION)}."
            )
        self._mixed, mode = LAYER_ATTENTION[kind]
        count = len(range(num_layers)[self._mixed])
        if self._mixed.start and count < len(range(4)[self._mixed]):
            raise ConfigurationError(
                f"model.layer_attention is {kind!r}, but the encoder has only {num_layers} layers. "
                "Use 'sum' or 'last'."
            )
        self.num_layers = num_layers
        self.widening = count if mode == "concatenation" else 1
        """Width of the vectors, as a multiple of a layer's width."""
        self.name_of = {task: task if kind == "task" else "all" for task in tasks}
        """The name of the mixture of each task."""
        super().__init__(
            {
                name: LayerMix(count, mode, **settings)
                for name in dict.fromkeys(self.name_of.values())
            }
        )

    def mix_of(self, task: str) -> LayerMix:
        """The mixture of a task."""
        return cast(LayerMix, self[self.name_of[task]])

    def mix_layers(self, task: str, layers: torch.Tensor) -> torch.Tensor:
        """Returns a task's mixture `(...)` of all layers of the encoder, `(num_layers, ...)`."""
        mixed: torch.Tensor = self.mix_of(task)(layers[self._mixed])
        return mixed

    @property
    def are_shared(self) -> bool:
        """True if tasks share one mixture of layers."""
        return len(self) < len(self.name_of)

    def layer_weights(self) -> dict[str, list[float]]:
        """
        Returns the weight of each layer of the encoder for each task, first layer first (thesis,
        Figures 4.1 and 4.2).
        """
        return {task: self._of_all_layers(self.mix_of(task).weights) for task in self.name_of}

    def _of_all_layers(self, weights: torch.Tensor) -> list[float]:
        of_all = weights.new_zeros(self.num_layers)
        of_all[self._mixed] = weights
        shares: list[float] = of_all.tolist()
        return shares

    def layer_alphas(self) -> dict[str, Optional[list[float]]]:
        """Returns the weights before the softmax, unscaled; `None` for kinds without them."""
        alphas = {task: self.mix_of(task).alpha for task in self.name_of}
        return {task: None if alpha is None else alpha.tolist() for task, alpha in alphas.items()}
