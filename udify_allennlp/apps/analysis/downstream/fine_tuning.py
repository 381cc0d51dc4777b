"""
A plain loop that trains a head of transformers with its encoder (Devlin et al. 2019, appendix A.3):
AdamW, linear warm-up and decay, gradients clipped at 1.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy
import torch
from allennlp.common import Tqdm

Inputs = Mapping[str, Any]
"""Arguments of the head for one example: arrays `(pieces,)`, and numbers for targets."""
_WARM_UP = 0.1
_DECAY = 0.01
_CLIP = 1.0


class Settings(NamedTuple):
    """Amounts of training."""

    epochs: int
    batch_size: int
    learning_rate: float
    """The peak, after a tenth of the updates."""
    seed: int


class Padding:
    """
    Makes batches of examples.

    # Parameters

    tokenizer : `PreTrainedTokenizerFast`
        Determines the padding of each input.
    device : `torch.device`
    """

    def __init__(self, tokenizer: Any, device: torch.device = torch.device("cpu")) -> None:
        self._tokenizer = tokenizer
        self._device = device

    def __call__(self, examples: Sequence[Inputs]) -> dict[str, torch.Tensor]:
        """Returns the arguments of a head: `(batch, pieces)`, and `(batch,)` for targets."""
        width = max(len(example["input_ids"]) for example in examples)
        fills = {"input_ids": self._tokenizer.pad_token_id or 0, "attention_mask": 0}
        fills["token_type_ids"] = self._tokenizer.pad_token_type_id
        batch = {}
        for name in examples[0]:
            rows = numpy.array(
                [self._filled(example[name], width, fills.get(name, 0)) for example in examples]
            )
            batch[name] = torch.as_tensor(rows, dtype=torch.long, device=self._device)
        return batch

    @staticmethod
    def _filled(value: Any, width: int, fill: int) -> Any:
        if numpy.ndim(value) == 0:
            return value
        return numpy.pad(value, (0, width - len(value)), constant_values=fill)


def fine_tune(
    head: torch.nn.Module,
    examples: Sequence[Inputs],
    pad: Padding,
    settings: Settings,
    select: Optional[Callable[[], float]] = None,
    title: str = "training",
) -> list[dict[str, float]]:
    """
    Trains a head.

    # Parameters

    head : `torch.nn.Module`
        A head of transformers; its output has a `loss`.
    examples : `Sequence[Inputs]`
    pad : `Padding`
    settings : `Settings`
        The seed determines the order of examples and the dropout.
    select : `Optional[Callable[[], float]]`
        A score of the head, the higher the better: the weights of the best epoch are kept; by
        default those of the last one.
    title : `str`
        The name of the progress bar.

    # Returns

    `List[Dict[str, float]]`
        The `epoch`, the `loss` per example and, with `select`, the `score` of each epoch.
    """
    torch.manual_seed(settings.seed)
    generator = torch.Generator().manual_seed(settings.seed)
    starts = range(0, len(examples), settings.batch_size)
    updates = settings.epochs * len(starts)
    optimizer = torch.optim.AdamW(_groups(head), lr=settings.learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: _share(done, updates))
    best: Optional[dict[str, torch.Tensor]] = None
    epochs: list[dict[str, float]] = []
    with Tqdm.tqdm(total=updates, unit=" updates", desc=title) as bar:
        for epoch in range(1, settings.epochs + 1):
            head.train()
            order = torch.randperm(len(examples), generator=generator).tolist()
            total = 0.0
            for start in starts:
                rows = order[start : start + settings.batch_size]
                loss = head(**pad([examples[row] for row in rows])).loss
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(head.parameters(), _CLIP)
                optimizer.step()
                scheduler.step()
                total += loss.item() * len(rows)
                bar.update(1)
            result = {"epoch": epoch, "loss": total / len(order)}
            if select is not None:
                result["score"] = select()
                if all(result["score"] > before["score"] for before in epochs):
                    best = copy.deepcopy(head.state_dict())
            bar.set_postfix_str(" ".join(f"{k} {v:.3f}" for k, v in result.items() if k != "epoch"))
            epochs.append(result)
    if best is not None:
        head.load_state_dict(best)
    return epochs


def _groups(head: torch.nn.Module) -> list[dict[str, Any]]:
    """Returns parameter groups: weights decay; biases and scales of normalization do not."""
    parameters = list(head.parameters())
    return [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": _DECAY},
        {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0},
    ]


def _share(done: int, updates: int) -> float:
    """The share of the learning rate after `done` updates."""
    warm_up = max(1, int(_WARM_UP * updates))
    if done < warm_up:
        return (done + 1) / warm_up
    return max(0.0, (updates - done) / max(1, updates - warm_up))


@torch.inference_mode()
def outputs(
    head: torch.nn.Module,
    examples: Sequence[Inputs],
    pad: Padding,
    batch_size: int,
    title: str = "predicting",
) -> Iterator[tuple[int, Any, int]]:
    """
    Yields for each example, longest first, its index, the output of its batch, and its row there.
    """
    head.eval()
    order = sorted(range(len(examples)), key=lambda row: -len(examples[row]["input_ids"]))
    with Tqdm.tqdm(total=len(order), unit=" examples", desc=title) as bar:
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            output = head(**pad([examples[row] for row in rows]))
            yield from ((row, output, place) for place, row in enumerate(rows))
            bar.update(len(rows))
