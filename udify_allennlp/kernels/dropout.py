"""Dropout (Srivastava et al. 2014) whose mask is drawn from random bits, for speed on a CPU."""

from typing import Any

import torch


def random_keep(like: torch.Tensor, dropout: float, bits: int = 8) -> tuple[torch.Tensor, float]:
    """
    Returns bytes of the shape of `like`, 1 where a number is kept and 0 where it is dropped, and
    the scale of the kept ones.

    `bits`, 8 or 16, are drawn per number, so `dropout` is rounded to the nearest of 2^bits steps;
    the scale fits the rounded rate. On a CPU this takes a fifth of the time of random floats.
    """
    steps = 2**bits
    threshold = min(round(dropout * steps), steps - 1)
    dtype, lowest = (torch.uint8, 0) if bits == 8 else (torch.int16, -(2**15))
    if like.device.type == "cpu":
        # All 64 bits of a draw are random: it serves several numbers.
        words = torch.empty(-(-like.numel() * bits // 64), dtype=torch.int64)
        random = words.random_(-(2**63), None).view(dtype)[: like.numel()].view_as(like)
    else:
        random = torch.randint(lowest, lowest + steps, like.shape, dtype=dtype, device=like.device)
    # As bytes, for torch multiplies by these three times faster than by booleans.
    return (random >= lowest + threshold).view(torch.uint8), steps / (steps - threshold)


class FastDropout(torch.nn.Dropout):
    """
    `torch.nn.Dropout` with masks of `random_keep` on a CPU (torch 2.13: a quarter of the time, and
    one byte per number kept for the backward pass instead of four). On other devices it is torch's
    own.

    Departure: on a CPU the rate is rounded to the nearest of 65,536 steps.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return fast_dropout(input, self.p) if self.training else input


def fast_dropout(input: torch.Tensor, rate: float) -> torch.Tensor:
    """Computes the dropout of `FastDropout` in training."""
    if rate == 0:
        return input
    if input.device.type != "cpu":
        return torch.nn.functional.dropout(input, rate)
    return _Drop.apply(input, rate)


def kept(like: torch.Tensor, rate: float) -> torch.Tensor:
    """
    Returns factors that drop numbers together, of the shape of `like`, such as one for all nodes of
    a sentence (Gal and Ghahramani 2016): 0, or the scale that compensates for it.
    """
    return torch.full_like(like, 1 - rate).bernoulli() / (1 - rate)


class _Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, rate: float) -> torch.Tensor:
        keep, ctx.scale = random_keep(input, rate, bits=16)
        ctx.save_for_backward(keep)
        return (input * keep).mul_(ctx.scale)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        (keep,) = ctx.saved_tensors
        return (grad * keep).mul_(ctx.scale), None


def use_fast_dropout(model: torch.nn.Module) -> None:
    """Replaces every `torch.nn.Dropout` of `model` with `FastDropout`."""
    for module in model.modules():
        for name, child in module.named_children():
            if type(child) is torch.nn.Dropout:
                setattr(module, name, FastDropout(child.p))
