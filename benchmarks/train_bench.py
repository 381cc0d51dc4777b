"""
How fast does a model train, and how much of that is the encoder alone?

    UD_ENCODER=... UD_TRAIN=... UD_DEV=... \\
        python benchmarks/train_bench.py training_config/udify_small_cpu.jsonnet [--batches 12]

Runs full steps on the batches of one shuffled epoch, as the trainer of the config does: zero
gradients, forward, backward, clipping, optimizer. The bare encoder is its forward and backward pass
on the same wordpieces, in training mode. They take turns, so that a slow moment of the machine
affects both. The table adds the parts one by one to the bare encoder.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.training.util import create_serialization_dir

from udify_allennlp.modules.layout import Layout
from udify_allennlp.training.trainer import UdifyTrainer

Batch = dict[str, Any]
Seconds = tuple[float, float]
UD_SENTENCES = 668_939
BARE, FULL = "bare encoder", "+ clip, optimizer: a full step"


class Steps:
    """The parts of a step; a step can stop after any of them."""

    def __init__(self, trainer: UdifyTrainer) -> None:
        self.trainer = trainer
        self.model: Any = trainer.model
        # As in its library: our dropout is drawn differently.
        ours = self.model.embedder.transformer
        self.encoder = type(ours)(ours.config, add_pooling_layer=False)
        self.encoder.load_state_dict(ours.state_dict())
        self.encoder.to(trainer.cuda_device).train()

    def ladder(self) -> dict[str, Callable[[Batch], None]]:
        return {
            BARE: self.bare,
            "+ every layer, masked input": self.layers,
            "+ layer mixes": self.mixes,
            "+ decoders and losses": self.losses,
            FULL: self.trainer.train_step,
        }

    def bare(self, batch: Batch) -> None:
        pieces = batch["wordpieces"]
        with self.trainer.autocast():
            states = self.encoder(
                input_ids=pieces["ids"], attention_mask=pieces["mask"].long(), return_dict=True
            ).last_hidden_state
        self._backward(states)

    def layers(self, batch: Batch) -> None:
        with self.trainer.autocast():
            layers = self._layers(batch)
        self._backward(layers)

    def mixes(self, batch: Batch) -> None:
        with self.trainer.autocast():
            layers = self._layers(batch)
            mixed = [mix(layers) for mix in self.model.mixes.values()]
        self._backward(torch.stack(mixed))

    def losses(self, batch: Batch) -> None:
        with self.trainer.autocast():
            loss = self.model(**batch)["loss"]
        self._backward(loss)

    def _layers(self, batch: Batch) -> torch.Tensor:
        return self.model.embedder(batch, Layout(**batch["layout"]))

    def _backward(self, result: torch.Tensor) -> None:
        self.encoder.zero_grad()
        self.trainer.optimizer.zero_grad()
        result.backward(torch.ones_like(result))


def make_trainer(config: str, folder: str, overrides: str, frozen: bool = False) -> UdifyTrainer:
    """
    Returns the trainer of a config before its first step, with nothing frozen or as in the config.
    """
    params = Params.from_file(config, overrides)
    create_serialization_dir(params, folder, recover=False, force=True)
    names = ("include_in_archive", "evaluation")
    for name in names:
        params.pop(name, None)
    trainer = TrainModel.from_params(params, serialization_dir=folder, local_rank=0).trainer
    if not isinstance(trainer, UdifyTrainer):
        raise SystemExit(
            f"trainer.type of {config} is not udify. An override of the whole trainer drops its "
            'type; name the one setting: {"trainer.cpu_bfloat16": false}'
        )
    for parameter in trainer.model.parameters() if not frozen else ():
        parameter.requires_grad_(True)
    trainer.model.train()
    return trainer


def seconds(work: Callable[[Batch], None], batches: list[Batch]) -> Seconds:
    """Returns wall-clock seconds and CPU seconds, over all threads."""
    start = time.perf_counter(), time.process_time()
    for batch in batches:
        work(batch)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def describe(trainer: UdifyTrainer, batches: list[Batch]) -> str:
    pieces = [batch["wordpieces"] for batch in batches]
    cells = sum(p["ids"].numel() for p in pieces)
    real = sum(int(p["mask"].sum()) for p in pieces)
    words = sum(len(batch["layout"]["places"]) for batch in batches)
    sentences = sum(len(batch["layout"]["nodes"]) for batch in batches)
    dtype = trainer.autocast_dtype or torch.float32
    return "\n".join(
        [
            f"encoder    {dtype} on {trainer.cuda_device}",
            (
                f"batches    {len(batches)}: {sentences / len(batches):.1f} sentences, "
                f"{words / len(batches):.0f} words, {cells / len(batches):.0f} wordpieces a batch, "
                f"{1 - real / cells:.1%} of them padding"
            ),
        ]
    )


def report(words: int, rounds: list[dict[str, Seconds]]) -> Iterator[str]:
    """
    Yields one row per part: its time as a multiple of the bare encoder, the median of the rounds.
    """
    yield f"{'':<34}{'s':>8}{'words/s':>9}{'by clock':>10}{'by CPU':>8}"
    for name in rounds[0]:
        # Ratios are taken within a round, where both sides met the same machine.
        clock, cpu = (
            statistics.median(taken[name][i] / taken[BARE][i] for taken in rounds) for i in (0, 1)
        )
        middle = statistics.median(taken[name][0] for taken in rounds)
        yield f"{name:<34}{middle:8.2f}{words / middle:9.0f}{clock:10.3f}{cpu:8.3f}"
    full = sorted(taken[FULL][1] / taken[BARE][1] for taken in rounds)
    yield f"a full step by CPU: lowest {full[0]:.3f}, highest {full[-1]:.3f} of {len(full)} rounds"


def matrix_rate(trainer: UdifyTrainer, duration: float = 0.5) -> float:
    """Returns the operations per second of large matrix products in the dtype of the run."""
    dtype = trainer.autocast_dtype or torch.float32
    size = 8192 if trainer.cuda_device.type == "cuda" else 1024
    a, b = (torch.randn(size, size, device=trainer.cuda_device, dtype=dtype) for _ in range(2))
    count, end = 0, time.perf_counter() + duration
    a @ b
    if a.is_cuda:
        torch.cuda.synchronize()
    start = time.perf_counter()
    while time.perf_counter() < end:
        for _ in range(8):
            a @ b
        if a.is_cuda:
            torch.cuda.synchronize()
        count += 8
    return 2 * size**3 * count / (time.perf_counter() - start)


def share_of_rate(trainer: UdifyTrainer, batches: list[Batch], step: float, rate: float) -> float:
    """
    Returns the share of the processor's `rate` that the encoder's linear layers reach in a `step`.
    """
    encoder: Any = trainer.model.embedder
    weights = sum(
        module.weight.numel() for module in encoder.modules() if isinstance(module, torch.nn.Linear)
    )
    cells = sum(batch["wordpieces"]["ids"].numel() for batch in batches)
    # A product and a sum for each weight and wordpiece, forward once and backward twice.
    return 6 * weights * cells / step / rate


def outlook(trainer: UdifyTrainer, batches: list[Batch], step: float, rate: float) -> str:
    """Returns sentences per second, with estimates for all of UD 2.3 and for the processor."""
    sentences = sum(len(batch["layout"]["nodes"]) for batch in batches)
    share = share_of_rate(trainer, batches, step, rate)
    speed = sentences / step
    return (
        f"speed      {speed:.0f} sentences/s; an epoch of UD 2.3, {UD_SENTENCES} sentences, "
        f"takes {UD_SENTENCES / speed:.0f} s\n"
        f"share      the encoder's linear layers get {share:.1%} of {rate / 1e12:.3g} TFLOPS, "
        "the rate of large matrix products here"
    )


def feed(trainer: UdifyTrainer, count: int, bare: float) -> str:
    """Returns the cost of making the same number of batches, as a share of the bare encoder's."""
    start = time.process_time()
    made = sum(1 for _ in islice(trainer.data_loader, count))
    share = (time.process_time() - start) / made * count / bare
    return f"feed       making the batches takes {share:.2%} of the bare encoder's CPU seconds"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument(
        "config", help="training config; set UD_ENCODER, UD_TRAIN, UD_DEV as it requires"
    )
    parser.add_argument("--batches", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "-o", "--overrides", default="", help="JSON settings, as for allennlp train"
    )
    given = parser.parse_args()
    if min(given.batches, given.repeats) < 1:
        parser.error("--batches and --repeats must be at least 1")

    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(given.config, str(Path(folder, "run")), given.overrides)
        batches = list(islice(trainer.data_loader, given.batches))
        sys.stdout.write(f"{machine.describe()}\n{describe(trainer, batches)}\n")
        sys.stdout.flush()
        ladder = Steps(trainer).ladder()
        for work in ladder.values():  # warms up: the first batches also allocate
            seconds(work, batches)
        rounds = [
            {name: seconds(work, batches) for name, work in ladder.items()}
            for _ in range(given.repeats)
        ]
        words = sum(len(batch["layout"]["places"]) for batch in batches)
        sys.stdout.write("\n".join(report(words, rounds)) + "\n")
        bare = statistics.median(taken[BARE][1] for taken in rounds)
        sys.stdout.write(feed(trainer, given.batches, bare) + "\n")
        step = statistics.median(taken[FULL][0] for taken in rounds)
        sys.stdout.write(outlook(trainer, batches, step, matrix_rate(trainer)) + "\n")
        sys.stdout.write(f"peak       {machine.peak_resident() / 1e9:.2f} GB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
