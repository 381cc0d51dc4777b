"""
How much faster are sentences parsed that take their steps together?

    python benchmarks/transitions_bench.py MODEL FILE.conllu [--sentences 1024] [--device cuda]

A model of `training_config/graph2graph/senttr_g2g*.jsonnet`, which re-encodes a sentence after each
arc of its parse, or any other model of ours. Measures sentences per second, one at a time and in
batches of 64 of similar lengths, or fewer where lengths differ much; prints the mean batch size. A
hundred sentences are too few for 64 of similar length. With several threads, all threads work on
each batch, and then each thread on its own batch, as in `allennlp predict`. They take turns; ratios
are within a round.

With one thread, seconds are CPU seconds of the process, independent of the load of the machine. It
then also prints the time of matrix products in linear layers, a lower limit for any batch, and the
speed without the encoder: the steps, and the work before and after them (except for StateTr, whose
encoder is part of its steps).
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import Any, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences

TOGETHER = 64
WAYS = ((1, 1), (TOGETHER, 1), (TOGETHER, None))
"""Numbers of sentences per batch and of parallel batches; `None` is one batch per thread."""


class Sampler(BucketSampler):
    """A sampler that records the number of sentences of its batches."""

    def __init__(self, size: int) -> None:
        super().__init__(size, 10**6, shuffle=False)
        self.mean = 0.0

    def batches(self, *args: Any) -> list[list[int]]:
        found = super().batches(*args)
        self.mean = statistics.mean(map(len, found))
        return found


def parse(predictor: Any, sentences: list[Any], size: int, at_once: Optional[int]) -> list[Any]:
    predictor._sampler, predictor.at_once = Sampler(size), at_once
    return predictor.columns(sentences)


def inside(modules: Iterable[torch.nn.Module], parse: Callable[[], Any]) -> float:
    """Returns the seconds of a parse in these modules, none of which contains another."""
    seconds, starts = [0.0], [0.0]

    def begin(*_: Any) -> None:
        starts[0] = time.process_time()

    def end(*_: Any) -> None:
        seconds[0] += time.process_time() - starts[0]

    hooks: list[Any] = []
    for module in modules:
        hooks += [module.register_forward_pre_hook(begin), module.register_forward_hook(end)]
    parse()
    for hook in hooks:
        hook.remove()
    return seconds[0]


def products_and_steps(predictor: Any, sentences: list[Any], seconds: list[list[float]]) -> None:
    """Prints the time of products, and the time without the encoder."""
    model = predictor.model
    linear = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
    left = []
    for place, size in enumerate((1, TOGETHER)):
        work = partial(parse, predictor, sentences, size, 1)
        spent, encoder = inside(linear, work), inside([model.embedder], work)
        middle = statistics.median(round_[place] for round_ in seconds)
        each = [f"{1000 * part / len(sentences):.2f}" for part in (spent, middle)]
        sys.stdout.write(f"{size:3} at a time  products {each[0]} of {each[1]} ms a sentence")
        if encoder:  # StateTr's states do not use it
            left.append(middle - encoder)
            sys.stdout.write(f", all but the encoder {1000 * left[-1] / len(sentences):.2f}")
        sys.stdout.write("\n")
    if left:
        sys.stdout.write(f"ratio of all but the encoder {left[0] / left[1]:8.2f}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("file")
    parser.add_argument("--sentences", type=int, default=16 * TOGETHER)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--precision", help="precision: float32, bfloat16, ... (default: the model's)"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    gpu = given.device == "cuda"
    predictor = load_predictor(given.model, 0 if gpu else -1, given.precision)
    alone = not gpu and torch.get_num_threads() == 1
    now = time.process_time if alone else time.perf_counter
    sentences = list(islice(read_sentences(given.file), given.sentences))
    words = sum(map(len, sentences))
    seconds: list[list[float]] = []
    found = []
    # A single thread and a GPU process one batch at a time.
    ways = WAYS if torch.get_num_threads() > 1 and not gpu else WAYS[:2]
    for way in ways:
        found.append(parse(predictor, sentences, *way))  # and warms up
    for _ in range(given.repeats):
        seconds.append([])
        for way in ways:
            start = now()
            parse(predictor, sentences, *way)
            if gpu:
                torch.cuda.synchronize()
            seconds[-1].append(now() - start)
    sys.stdout.write(machine.describe() + "\n")
    # The sampler of the last parse, which had batches of several sentences.
    what = f"{words} words, {given.device}, {predictor.model.precision}"
    what += f"; in batches of {predictor._sampler.mean:.0f}"
    sys.stdout.write(f"sentences  {len(sentences)}, {what}\n")
    for place, (size, at_once) in enumerate(ways):
        rate = len(sentences) / statistics.median(round_[place] for round_ in seconds)
        ratio = statistics.median(round_[0] / round_[place] for round_ in seconds)
        differ = sum(one != other for one, other in zip(found[0], found[place], strict=True))
        name = f"{size} at a time" + ("" if at_once else " on each thread")
        figures = f"{rate:8.1f} sentences/s, ratio {ratio:5.2f}, {differ} differ"
        sys.stdout.write(f"{name:<29}{figures}\n")
    if alone:
        products_and_steps(predictor, sentences, seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
