"""
What does prediction in lower precision save, and what does it cost in accuracy?

    python benchmarks/precision_bench.py MODEL GOLD.conllu [--sentences N] [--repeats 3]

MODEL is an archive or a run folder. The file is parsed in each precision as `allennlp predict` does
after loading the model. The precisions take turns, so that a slow moment of the machine affects
all. Scores are those of the CoNLL 2018 script; "same" is the share of words (%) with the arc and
deprel of float32. If oneDNN computes the products of float32, "MKL" is float32 without oneDNN.
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
from allennlp.models import load_archive
from allennlp.predictors import Predictor
from parse_bench import Seconds, parse, paths_in, seconds
from treebank_scores import METRICS

from udify_allennlp.kernels.precision import COMPUTE_PRECISIONS
from udify_allennlp.kernels.products import is_faster
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences

MKL = "MKL"
HEADER = ("precision", "words/s", "by clock", "by CPU", *METRICS, "same")


def load(model: str, precision: str, cuda_device: int) -> Predictor:
    overrides = f'{{"model.precision": "{precision}"}}'
    return Predictor.from_archive(load_archive(model, cuda_device, overrides), "udify")


def parse_as(name: str, *work: Any) -> None:
    """Runs `parse`; for `MKL`, with MKL's float32 products instead of oneDNN's."""
    without = torch.backends.mkldnn.flags(enabled=False)
    with without if name == MKL else contextlib.nullcontext():
        parse(*work)


def arcs(sentences: list[Sentence]) -> list[tuple]:
    return [arc for s in sentences for arc in zip(s.heads, s.deprels, strict=True)]


def report(
    gold: list[Sentence], times: dict[str, list[Seconds]], parsed: dict[str, list[Sentence]]
) -> str:
    """
    Returns one row per precision: medians, with speed as a ratio to the first one of the same
    repeat.
    """
    words = sum(len(sentence) for sentence in gold)
    first = next(iter(times))
    lines = ["".join(f"{name:>10}" for name in HEADER)]
    for name, repeats in times.items():
        pairs = list(zip(times[first], repeats, strict=True))
        clock, cpu = (statistics.median(base[i] / own[i] for base, own in pairs) for i in (0, 1))
        rate = words / statistics.median(own[0] for own in repeats)
        scores = official_scores(gold, parsed[name], name)
        agree = zip(arcs(parsed[first]), arcs(parsed[name]), strict=True)
        same = 100 * sum(old == new for old, new in agree) / words
        row = "".join(f"{scores[metric]:10.2f}" for metric in METRICS)
        lines.append(f"{name:>10}{rate:10.0f}{clock:10.2f}{cpu:10.2f}{row}{same:10.2f}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive (model.tar.gz) or run folder")
    parser.add_argument("file", type=Path, help="CoNLL-U file with gold annotation")
    parser.add_argument("--sentences", type=int, help="read only the first N sentences")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--batch-size", type=int, default=1024, help="batch size, as for allennlp predict"
    )
    parser.add_argument(
        "--cuda-device", type=int, default=-1, help="number of the GPU; -1 is the CPU"
    )
    given = parser.parse_args()
    if min(given.repeats, given.batch_size) < 1:
        parser.error("--repeats and --batch-size must be at least 1")
    gold = list(islice(read_sentences(given.file), given.sentences))
    if not gold:
        parser.error(f"{given.file} and --sentences leave nothing to parse")

    refused = "float16" if given.cuda_device < 0 else "int8"
    names = [name for name in COMPUTE_PRECISIONS if name != refused]
    predictors = {name: load(given.model, name, given.cuda_device) for name in names}
    if given.cuda_device < 0 and is_faster():
        predictors = {"float32": predictors["float32"], MKL: predictors["float32"], **predictors}
    words = sum(len(sentence) for sentence in gold)
    size = f"{len(gold)} sentences, {words} words, {given.batch_size} sentences at a time"
    sys.stdout.write(f"{machine.describe()}\nfile       {given.file.name}, {size}\n")
    sys.stdout.flush()
    times: dict[str, list[Seconds]] = {name: [] for name in predictors}
    parsed: dict[str, list[Sentence]] = {}
    with tempfile.TemporaryDirectory() as folder:
        source, target = paths_in(folder, given.file)
        write_sentences(gold[:32], source)
        for name, predictor in predictors.items():  # warms up: the first batches also allocate
            parse_as(name, predictor, source, target, given.batch_size)
        write_sentences(gold, source)
        for _ in range(given.repeats):
            for name, predictor in predictors.items():
                work = (name, predictor, source, target, given.batch_size)
                times[name].append(seconds(lambda work=work: parse_as(*work)))
                parsed[name] = list(read_sentences(target))
    sys.stdout.write(report(gold, times, parsed) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
