"""AdamW as transformers had it until 4.50, for AllenNLP's optimizer `huggingface_adamw`."""

from collections.abc import Callable, Iterable
from typing import Any, Optional

import torch


class AdamW(torch.optim.AdamW):
    """
    Adam with decoupled weight decay (Loshchilov and Hutter 2019), optionally without bias
    correction, like the optimizer of the original BERT.

    Departure: with bias correction this is PyTorch's own, much faster, step. It adds `eps` after
    the correction instead of before and decays before the update instead of after: differences of
    the order of `eps` and of the squared learning rate.

    # Parameters

    params : `Iterable[Any]`
        Parameters or groups of them.
    lr : `float`, optional (default = `1e-3`)
    betas : `Tuple[float, float]`, optional (default = `(0.9, 0.999)`)
    eps : `float`, optional (default = `1e-6`)
    weight_decay : `float`, optional (default = `0.0`)
    correct_bias : `bool`, optional (default = `True`)
        `False` omits the bias correction.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        correct_bias: bool = True,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        self.defaults["correct_bias"] = correct_bias
        for group in self.param_groups:
            group.setdefault("correct_bias", correct_bias)

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:
        if all(group["correct_bias"] for group in self.param_groups):
            return super().step(closure)
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, group)
        return loss

    def _update(self, parameter: torch.Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:  # the same names as in torch.optim.AdamW, so that checkpoints fit both
            state["step"] = torch.tensor(0.0)
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
        state["step"] += 1
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"].lerp_(parameter.grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2)
        square.addcmul_(parameter.grad, parameter.grad, value=1 - beta2)
        size = group["lr"]
        if group["correct_bias"]:
            steps = state["step"].item()
            size *= (1 - beta2**steps) ** 0.5 / (1 - beta1**steps)
        parameter.addcdiv_(mean, square.sqrt().add_(group["eps"]), value=-size)
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
