"""
Compares the costs of steps of several configs, in training and in validation.

    UD_VECTORS=... UD_TRAIN=... UD_DEV=... python benchmarks/configs_bench.py \\
        LSTM=training_config/order_transfer/rnn_graph_small_cpu.jsonnet \\
        SelfAtt=training_config/order_transfer/small_cpu.jsonnet [--batches 12]
    ... 'kept=training_config/typology/small_cpu.jsonnet' \\
        'recomputed=training_config/typology/small_cpu.jsonnet {"model.embedder.keep_below": 0}'

Each argument is NAME=CONFIG or NAME=CONFIG JSON. In turns, all configs run full steps of their
trainers on the batches of one shuffled epoch, after a pass that warms up and fills caches; then
they run the same batches as in validation: forward pass, trees, scores. Times are multiples of the
first config's.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
from train_bench import Batch, Seconds, make_trainer, seconds

from udify_allennlp.apps.studies.variants import variants_of
from udify_allennlp.training.trainer import UdifyTrainer

Round = dict[str, tuple[Seconds, Seconds]]
"""Seconds of training and of validation for each config."""


def one_round(trainers: dict[str, UdifyTrainer], batches: dict[str, list[Batch]]) -> Round:
    found = {}
    for name, trainer in trainers.items():
        model: Any = trainer.model
        model.train()
        training = seconds(trainer.train_step, batches[name])
        model.eval()

        def validate(batch: Batch, trainer: UdifyTrainer = trainer) -> None:
            with torch.no_grad(), trainer.autocast():
                trainer.model(**batch)

        found[name] = (training, seconds(validate, batches[name]))
    return found


def report(words: dict[str, int], rounds: list[Round]) -> Iterator[str]:
    """
    Yields a row for each config: words per CPU second and multiples of the first, as the median of
    rounds.
    """
    yield f"{'':<24}{'training: words/s':>18}{'times':>8}{'validation: words/s':>21}{'times':>8}"
    first = next(iter(words))
    for name, count in words.items():
        cells = []
        for kind in (0, 1):
            speed = statistics.median(count / taken[name][kind][1] for taken in rounds)
            times = statistics.median(
                (taken[name][kind][1] / count) / (taken[first][kind][1] / words[first])
                for taken in rounds
            )
            cells += [f"{speed:.0f}", f"{times:.2f}"]
        yield f"{name:<24}{cells[0]:>18}{cells[1]:>8}{cells[2]:>21}{cells[3]:>8}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("config", nargs="+", help="config as NAME=CONFIG or 'NAME=CONFIG JSON'")
    parser.add_argument("--batches", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    if min(given.batches, given.repeats) < 1:
        parser.error("--batches and --repeats must be at least 1")

    sys.stdout.write(f"{machine.describe()}\n")
    trainers: dict[str, UdifyTrainer] = {}
    batches: dict[str, list[Batch]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, system in variants_of(given.config, None, "config").items():
            overrides = json.dumps(system.changes)
            run = str(Path(folder, name))
            trainers[name] = make_trainer(system.config, run, overrides, frozen=True)
            batches[name] = list(islice(trainers[name].data_loader, given.batches))
        one_round(trainers, batches)
        rounds = [one_round(trainers, batches) for _ in range(given.repeats)]
    words = {
        name: sum(len(batch["layout"]["places"]) for batch in found)
        for name, found in batches.items()
    }
    sys.stdout.write("\n".join(report(words, rounds)) + "\n")
    sys.stdout.write(f"peak of all together       {machine.peak_resident() / 1e9:.2f} GB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
