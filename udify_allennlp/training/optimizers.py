"""Optimizers that AllenNLP has only in a slower form."""

from typing import Any, List, Optional, Tuple

import torch
from allennlp.training.optimizers import Optimizer, ParameterGroupsType, make_parameter_groups


@Optimizer.register("udify_adamw")
class FusedAdamW(Optimizer, torch.optim.AdamW):
    """
    AdamW (Loshchilov and Hutter 2019) with one fused kernel an update, on CPU and GPU: a
    multilingual encoder has most of its weights in its embedding table, and all are updated.

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
        model_parameters: List[Tuple[str, torch.nn.Parameter]],
        parameter_groups: Optional[ParameterGroupsType] = None,
        lr: float = 1e-3,
        betas: Tuple[float, float] = (0.9, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        groups: Any = make_parameter_groups(model_parameters, parameter_groups)
        super().__init__(groups, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, fused=True)
