"""
Does a multi-core processor parse faster with one batch per core than with all cores on each batch?

    python benchmarks/threads_bench.py MODEL FILE.conllu [--sentences 1000] [--precision bfloat16]

Measures words per second on one thread, with all PyTorch threads on one batch at a time, and with
parallel batches, as in `allennlp predict`; they take turns, and ratios are within a round. Then
runs each in a separate process to measure its peak memory.
"""

import argparse
import statistics
import sys
import time
from itertools import islice
from typing import Any, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch

from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences

ALL = torch.get_num_threads()
WAYS: dict[str, tuple[int, Optional[int]]] = {
    "one thread": (1, None),
    "one batch at a time": (ALL, 1),
    "side by side": (ALL, None),
}
"""Threads, and batches at once."""


def parse(predictor: Any, sentences: list[Any], way: str) -> list[Any]:
    threads, predictor.at_once = WAYS[way]
    torch.set_num_threads(threads)
    return predictor.columns(sentences)


def peak(model: str, precision: Optional[str], file: str, count: int, way: str) -> int:
    """Returns the peak memory of a process that parses in this way, in bytes."""
    predictor = load_predictor(model, -1, precision)
    parse(predictor, list(islice(read_sentences(file), count)), way)
    return machine.peak_resident()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive (model.tar.gz) or run folder")
    parser.add_argument("file", help="CoNLL-U file to parse")
    parser.add_argument(
        "--sentences",
        type=int,
        default=1000,
        help="number of sentences, from the start of the file",
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--precision", help="precision: float32, bfloat16, ... (default: the model's)"
    )
    given = parser.parse_args()
    if min(given.repeats, given.sentences) < 1:
        parser.error("--repeats and --sentences must be at least 1")
    work = (given.model, given.precision, given.file, given.sentences)
    peaks = {way: machine.afresh(peak, *work, way) for way in WAYS}
    predictor: Any = load_predictor(given.model, -1, given.precision)
    sentences = list(islice(read_sentences(given.file), given.sentences))
    words = sum(map(len, sentences))
    found = {way: parse(predictor, sentences, way) for way in WAYS}  # and warms up
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(given.repeats):
        for way, spent in seconds.items():
            start = time.perf_counter()
            parse(predictor, sentences, way)
            spent.append(time.perf_counter() - start)
    torch.set_num_threads(ALL)
    sys.stdout.write(machine.describe() + "\n")
    sys.stdout.write(f"sentences  {len(sentences)}, {words} words, {predictor.model.precision}\n")
    sys.stdout.write(f"{'':<22}{'words/s':>9}{'times':>8}{'differ':>8}{'peak GB':>9}\n")
    before = seconds["one batch at a time"]
    for way, spent in seconds.items():
        rate = words / statistics.median(spent)
        times = statistics.median(old / new for old, new in zip(before, spent, strict=True))
        differ = sum(a != b for a, b in zip(found[way], found["one thread"], strict=True))
        memory = peaks[way] / 1e9
        sys.stdout.write(f"{way:<22}{rate:9.0f}{times:8.2f}{differ:8}{memory:9.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
