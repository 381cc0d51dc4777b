"""
How long does it take to read treebanks for training, and how much memory do they fill?

    python benchmarks/read_bench.py ENCODER FILE...

ENCODER is a folder or a hub name; its tokenizer is loaded before the clock starts. A FILE may be a
glob. Memory is the growth of the process: instances, vocabulary and the tokenizer's known words.
"""

import argparse
import gc
import logging
import os
import sys
import time
from typing import Any, Callable, List, Tuple

import machine  # before allennlp: it brings the mends that allennlp needs to import
from allennlp.data import Vocabulary

from udify_allennlp.conllu import expand_paths
from udify_allennlp.data import UniversalDependenciesReader

Step = Tuple[str, float, float, int]


class Steps:
    """Runs steps one after the other and notes seconds, CPU seconds and growth in bytes of each."""

    def __init__(self) -> None:
        self.rows: List[Step] = []

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        gc.collect()
        before = machine.resident()
        start = time.perf_counter(), time.process_time()
        result = work()
        clock, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
        gc.collect()
        self.rows.append((name, clock, cpu, machine.resident() - before))
        return result

    def total(self) -> Step:
        _, clocks, cpus, growths = zip(*self.rows, strict=True)
        return "total", sum(clocks), sum(cpus), sum(growths)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("encoder", help="a folder or a hub name")
    parser.add_argument("files", nargs="+", help="CoNLL-U files or globs")
    arguments = parser.parse_args()

    logging.getLogger("allennlp").setLevel(logging.WARNING)
    reader = UniversalDependenciesReader(arguments.encoder)
    files = expand_paths(arguments.files)
    steps = Steps()
    instances = steps.run("read", lambda: list(reader.read(files)))
    vocabulary = steps.run("vocabulary", lambda: Vocabulary.from_instances(instances))
    steps.run("index", lambda: [instance.index_fields(vocabulary) for instance in instances])

    sentences = [instance["sentences"].metadata for instance in instances]
    words = sum(len(sentence) for sentence in sentences)
    raw = sum(os.path.getsize(file) for file in files)
    _, clock, _, growth = steps.total()
    lines = [
        machine.describe(),
        f"files      {len(files)}, {len(instances)} sentences, {words} words, {raw / 1e6:.1f} MB",
        "labels     " + _label_counts(vocabulary),
        f"{'step':<12}{'seconds':>10}{'CPU s':>10}{'MB':>10}{'bytes/word':>12}",
    ]
    for name, seconds, cpu, bytes_grown in [*steps.rows, steps.total()]:
        megabytes, per_word = bytes_grown / 1e6, bytes_grown / words
        lines.append(f"{name:<12}{seconds:10.2f}{cpu:10.2f}{megabytes:10.1f}{per_word:12.0f}")
    lines += [
        f"speed      {words / clock:.0f} words/s",
        f"text       {raw / words:.0f} bytes/word in the files",
        f"beyond it  {(growth - raw) / words:.0f} bytes/word",
        f"peak       {machine.peak_resident() / 1e9:.2f} GB, the process as a whole",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _label_counts(vocabulary: Vocabulary) -> str:
    names = sorted(vocabulary.get_namespaces())
    counts = [f"{vocabulary.get_vocab_size(name)} {name.split('_')[0]}" for name in names]
    return ", ".join(counts)


if __name__ == "__main__":
    sys.exit(main())
