"""AdamW on an embedding table that updates only the rows a batch reads."""

import math
import mmap
import os
from array import array
from typing import Any

import numpy
import torch

# A row's momentum is followed until its steps are so much smaller than the first one after its
# last gradient: 207 steps with the betas of the thesis, 0.9 and 0.99.
NEGLIGIBLE = 1e-9
# Rows brought up to date in one go when all are asked for (a few MB of intermediate tensors).
_CHUNK = 4096


class LazyRows:
    """
    The rows of an embedding under AdamW, each brought up to date when it is read.

    A multilingual table has most of the weights of a small encoder, but a batch reads only a few
    hundred of its rows. AdamW also changes the others, by weight decay and momentum. Both follow
    from the last gradient in closed form, so a row is not updated until a batch, an evaluation or a
    checkpoint reads it. The gradient is sparse; AdamW's moments take memory only for rows that have
    had one.

    Equal to dense AdamW except for `eps`: while a row waits, `sqrt(v) + eps` is assumed to decay
    like `sqrt(v)`, and the rest of its momentum is dropped when it is `NEGLIGIBLE`.

    # Parameters

    embedding : `torch.nn.Embedding`
        Its gradient becomes sparse. `weight` itself may have outdated rows: call `flush` first. The
        module's forward pass and `state_dict` do so by themselves.
    group : `Dict[str, Any]`
        The parameter group of `weight`: `lr`, `betas`, `eps`, `weight_decay`, read at each step.
    state : `Dict[str, Any]`
        The optimizer's state of `weight`: `step`, `exp_avg`, `exp_avg_sq`, as in torch's AdamW.
    """

    def __init__(
        self, embedding: torch.nn.Embedding, group: dict[str, Any], state: dict[str, Any]
    ) -> None:
        self.weight = embedding.weight
        self.group = group
        self.state = state
        embedding.sparse = True
        embedding.register_forward_pre_hook(self._before_forward)
        embedding.register_state_dict_pre_hook(lambda *_: self.flush())
        self.restart()

    def restart(self) -> None:
        """Starts from the optimizer's state, in which all rows are up to date."""
        weight = self.weight
        if not self.state:
            self.state["step"] = torch.tensor(0.0)
            for name in ("exp_avg", "exp_avg_sq"):
                self.state[name] = _untouched_zeros(weight)
            self.moved = torch.zeros(len(weight), dtype=torch.bool)
        else:
            self.moved = self.state["exp_avg_sq"].any(1)
        self._forget(int(self.state["step"]))

    def _forget(self, step: int) -> None:
        """Sets all rows to `step` and forgets their earlier updates."""
        self.first = step
        self.last = torch.full((len(self.weight),), step, dtype=torch.int32)
        # From step `first` on: the logarithm of what is left of a decaying weight, and the size of
        # the step that a momentum of one would make.
        self.log_decay = array("d", [0.0])
        self.size = array("d", [0.0])

    @property
    def step_count(self) -> int:
        return self.first + len(self.size) - 1

    def _before_forward(self, module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        if module.training and torch.is_grad_enabled():
            self.catch_up(inputs[0].unique())
        else:
            self.flush()

    @torch.no_grad()
    def catch_up(self, rows: torch.Tensor) -> None:
        """Brings `rows`, `(rows,)` without repeats, up to date with the current step."""
        rows = rows[self.last[rows] < self.step_count]
        if not len(rows):
            return
        since = self.last[rows].numpy() - self.first
        decay, momentum = (_column(values) for values in self._since(since))
        beta1, beta2 = self.group["betas"]
        waited = len(self.size) - 1 - since
        mean, square = self.state["exp_avg"][rows], self.state["exp_avg_sq"][rows]
        # A row at step 0 has no moments; any number but 0 will do for it.
        correction = _column(numpy.sqrt(1 - beta2 ** numpy.maximum(self.first + since, 1)))
        direction = mean / square.sqrt().add_(correction * self.group["eps"])
        weight = self.weight[rows].mul_(decay).addcmul_(momentum, direction, value=-1)
        self.weight[rows] = weight
        self.state["exp_avg"][rows] = mean.mul_(_column(beta1**waited))
        self.state["exp_avg_sq"][rows] = square.mul_(_column(beta2**waited))
        self.last[rows] = self.step_count

    def _since(self, since: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns for rows whose last step was `since`, counted from `first`: the factor of the weight
        decay, and the factor of `m / sqrt(v)` of that step, summed over the steps after it.
        """
        beta1, beta2 = self.group["betas"]
        # Views of the arrays: gone at the end, for an array cannot grow while it is looked at.
        log_decay, size = numpy.frombuffer(self.log_decay), numpy.frombuffer(self.size)
        steps, row = numpy.unique(since, return_inverse=True)
        fade = beta1 / math.sqrt(beta2)
        window = math.ceil(math.log(NEGLIGIBLE) / math.log(fade)) if 0 < fade < 1 else len(size)
        ahead = numpy.arange(1, min(window, len(size) - 1 - int(steps[0])) + 1)
        at = steps[:, None] + ahead
        past = at < len(size)
        at = numpy.minimum(at, len(size) - 1)
        moves = past * fade**ahead * size[at] * numpy.exp(log_decay[-1] - log_decay[at])
        return numpy.exp(log_decay[-1] - log_decay[since]), moves.sum(1)[row]

    @torch.no_grad()
    def step(self, gradient: torch.Tensor) -> None:
        """Makes one update from a coalesced sparse `gradient`."""
        rows, values = gradient.indices()[0], gradient.values()
        self.catch_up(rows)
        number = self.step_count + 1
        (beta1, beta2), lr = self.group["betas"], float(self.group["lr"])
        scale = 1 - lr * self.group["weight_decay"]
        correction1, correction2 = 1 - beta1**number, math.sqrt(1 - beta2**number)
        mean = self.state["exp_avg"][rows].lerp_(values, 1 - beta1)
        square = self.state["exp_avg_sq"][rows].mul_(beta2)
        square.addcmul_(values, values, value=1 - beta2)
        below = (square.sqrt() / correction2).add_(self.group["eps"])
        self.weight[rows] = (
            self.weight[rows].mul_(scale).addcdiv_(mean, below, value=-lr / correction1)
        )
        self.state["exp_avg"][rows] = mean
        self.state["exp_avg_sq"][rows] = square
        self.log_decay.append(self.log_decay[-1] + math.log(scale))
        self.size.append(lr * correction2 / correction1)
        self.last[rows] = number
        self.moved[rows] = True
        self.state["step"].fill_(number)

    @torch.no_grad()
    def flush(self) -> None:
        """Brings every row up to date with the current step, as in dense AdamW."""
        if self.step_count == self.first:
            return
        for rows in self.moved.nonzero().flatten().split(_CHUNK):
            self.catch_up(rows)
        # Rows that never had a gradient have decayed, all by the same.
        waiting = self.last.numpy() == self.first
        decay = numpy.where(waiting, math.exp(self.log_decay[-1]), 1.0)
        if self.log_decay[-1]:
            self.weight.mul_(_column(decay))
        self._forget(self.step_count)


def _untouched_zeros(like: torch.Tensor) -> torch.Tensor:
    """Returns zeros that take memory only where they are written, unlike torch's and numpy's."""
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if os.name == "posix" else {}
    memory = mmap.mmap(-1, 4 * like.numel(), **private)
    return torch.frombuffer(memory, dtype=torch.float32).view_as(like)


def _column(values: numpy.ndarray) -> torch.Tensor:
    """Returns a column, `(rows, 1)`, float32."""
    return torch.from_numpy(values.astype(numpy.float32)).unsqueeze(1)
