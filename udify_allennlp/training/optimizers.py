"""Optimizers that AllenNLP has only in a slower form."""

import re
from collections.abc import Callable
from typing import Any, Optional

import torch
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.training.optimizers import Optimizer, ParameterGroupsType, make_parameter_groups

from udify_allennlp.kernels.lazy_rows import LazyRows

# Numbers in an embedding table from which on a lazy update pays.
LARGE_EMBEDDING = 2**20


@Optimizer.register("udify_adamw")
class FusedAdamW(Optimizer, torch.optim.AdamW):
    """
    AdamW (Loshchilov and Hutter 2019) with one fused kernel per update, on CPU and GPU: a
    multilingual encoder has most of its weights in its embedding table, and all are updated. On a
    CPU the trainer makes this lazy: see `make_lazy`.

    Our choice: weight decay is decoupled from the gradient. The thesis says "Adam" with "a small
    weight decay penalty" (section 3.5).

    # Parameters

    lr : `float`
    betas : `Tuple[float, float]`
        Thesis: 0.9 and 0.99.
    weight_decay : `float`
        Thesis: 0.01.
    parameter_groups : `Optional[ParameterGroupsType]`
        Regular expressions for names of parameters, and their own settings.
    """

    def __init__(
        self,
        model_parameters: list[tuple[str, torch.nn.Parameter]],
        parameter_groups: Optional[ParameterGroupsType] = None,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        groups: Any = make_parameter_groups(model_parameters, parameter_groups)
        super().__init__(groups, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, fused=True)
        self._lazy: dict[torch.Tensor, LazyRows] = {}

    def make_lazy(self, embedding: torch.nn.Embedding) -> None:
        """
        Updates the rows of `embedding` only when they are read, with the same result; see
        `LazyRows`. Does nothing if this optimizer does not update its weights.
        """
        for group in self.param_groups:
            if any(parameter is embedding.weight for parameter in group["params"]):
                state = self.state[embedding.weight]
                self._lazy[embedding.weight] = LazyRows(embedding, group, state)

    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        gradients = {}
        for weight, rows in self._lazy.items():
            if weight.grad is None:
                continue
            if weight.grad.is_sparse:
                gradients[rows], weight.grad = weight.grad.coalesce(), None
            else:  # weights that are used elsewhere too: one step for all rows
                rows.flush()
        super().step()
        for rows, gradient in gradients.items():
            rows.step(gradient)
        for weight, rows in self._lazy.items():
            if weight.grad is not None:
                rows.restart()
        return loss

    def state_dict(self) -> dict[str, Any]:
        for rows in self._lazy.values():
            rows.flush()
        return super().state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        for weight, rows in self._lazy.items():
            rows.state = self.state[weight]
            rows.group = next(g for g in self.param_groups if any(p is weight for p in g["params"]))
            rows.restart()


def update_large_embeddings_lazily(
    model: torch.nn.Module, optimizer: Optimizer
) -> list[torch.nn.Embedding]:
    """
    Returns the embeddings whose rows are updated when they are read; none with another optimizer
    than ours, and none of a model that reads tables as a whole (`reads_whole_tables`), as tied
    outputs do.
    """
    if not isinstance(optimizer, FusedAdamW) or getattr(model, "reads_whole_tables", False):
        return []
    large = [
        module
        for module in model.modules()
        if type(module) is torch.nn.Embedding and module.weight.numel() >= LARGE_EMBEDDING
    ]
    for module in large:
        optimizer.make_lazy(module)
    return large


def check_groups(model: torch.nn.Module, optimizer: Lazy[Optimizer]) -> None:
    """
    # Raises

    `ConfigurationError` for the first regular expression of `parameter_groups` that matches no
    parameter of `model`, trained or frozen, since parameters would then have another learning rate
    than intended. Also for a parameter in two groups.
    """
    params = optimizer._params
    groups = params.get("parameter_groups", None) if isinstance(params, Params) else None
    names = [name for name, _ in model.named_parameters()]
    where = "trainer.optimizer.parameter_groups"
    group_of: dict[str, int] = {}
    for number, (patterns, _) in enumerate(groups or ()):
        for pattern in patterns:
            matches = [name for name in names if re.search(pattern, name)]
            if not matches:
                parts = sorted({".".join(name.split(".")[:2]) for name in names})
                raise ConfigurationError(
                    f"{where}.{number}: {pattern!r} matches no parameter of the model. Names begin "
                    f"with: {', '.join(parts)}."
                )
            for name in matches:
                if group_of.setdefault(name, number) != number:
                    raise ConfigurationError(
                        f"{where}: {name} is in {group_of[name]} and in {number}. Let each "
                        "parameter match one."
                    )
