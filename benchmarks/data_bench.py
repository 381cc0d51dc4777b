"""
Measures the time until the first batch, the memory of treebanks, and the fill and speed of batches.

    python benchmarks/data_bench.py ENCODER FILE...

ENCODER is a folder or a hub name; its tokenizer is loaded before the clock starts. A FILE may be a
glob. Each row of the first table is a separate process; the median of `--repeats` is printed.
"""

import argparse
import gc
import logging
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, Optional

import machine  # before allennlp: it applies the fixes that importing allennlp needs
from allennlp.data import Vocabulary

from udify_allennlp.data.bucket_sampler import BucketSampler, Sizes
from udify_allennlp.data.loader import TreebankLoader
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import expand_paths

Row = dict[str, float]
STEPS = ("read", "vocabulary", "first batch")


def until_the_first_batch(
    encoder: str, files: list[str], workers: int, cache_dir: Optional[str]
) -> Row:
    """
    Returns the seconds of each step from the files to the first batch, and the growth of the
    process.
    """
    logging.getLogger("allennlp").setLevel(logging.WARNING)
    # A cache set in the environment would also be used in the row without a cache.
    os.environ.pop("UDIFY_CACHE", None)
    reader = UniversalDependenciesReader(encoder, cache_dir=cache_dir)
    row: Row = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter(), time.process_time()
        result = work()
        row[name] = time.perf_counter() - start[0]
        row["CPU s"] = row.get("CPU s", 0) + time.process_time() - start[1]
        return result

    gc.collect()
    before = machine.resident()
    loader = timed("read", lambda: TreebankLoader(reader, files, num_workers=workers, quiet=True))
    vocabulary = timed("vocabulary", lambda: Vocabulary.from_instances(loader.iter_instances()))
    loader.index_with(vocabulary)
    timed("first batch", lambda: next(iter(loader)))
    gc.collect()
    row["total"] = sum(row[name] for name in STEPS)
    row["held"] = machine.resident() - before
    row["peak"] = machine.peak_resident()
    return row


def shape(batches: list[list[int]], sizes: Sizes) -> str:
    """Returns padding and mean size of batches, in words."""
    pieces = int(sizes.pieces.sum())
    cells = sum(sizes.windows[rows].sum() * sizes.widths[rows].max() for rows in batches)
    return (
        f"{1 - pieces / cells:6.1%} padding, {len(batches)} batches of "
        f"{len(sizes.pieces) / len(batches):.1f} sentences, {pieces / len(batches):.0f} wordpieces"
    )


def in_groups(sizes: Sizes, group: int) -> str:
    """Returns the same for the batches of `allennlp predict --batch-size GROUP`."""
    sampler = BucketSampler(shuffle=False)
    batches: list[list[int]] = []
    for start in range(0, len(sizes.pieces), group):
        part = Sizes(*(column[start : start + group] for column in sizes))
        batches += [[start + row for row in rows] for rows in sampler.batches(part, sampler.draw())]
    return shape(batches, sizes)


def feed(loader: TreebankLoader) -> float:
    """Returns the sentences per second of one shuffled epoch that only builds batches."""
    start = time.perf_counter()
    sentences = sum(len(batch["sentences"]) for batch in loader)
    return sentences / (time.perf_counter() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("encoder", help="encoder: folder or hub name")
    parser.add_argument("files", nargs="+", help="CoNLL-U files or globs")
    parser.add_argument(
        "--workers", type=int, default=0, help="number of processes that read files"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--group", type=int, default=1024, help="sentences per group in parsing")
    arguments = parser.parse_args()
    random.seed(0)
    files = expand_paths(arguments.files)

    rows: dict[str, list[Row]] = {"no cache": [], "cold cache": [], "warm cache": []}
    for _ in range(arguments.repeats):
        with tempfile.TemporaryDirectory() as folder:
            for name, repeats in rows.items():
                cache_dir = None if name == "no cache" else folder
                job = (arguments.encoder, files, arguments.workers, cache_dir)
                repeats.append(machine.afresh(until_the_first_batch, *job))

    logging.getLogger("allennlp").setLevel(logging.WARNING)
    reader = UniversalDependenciesReader(arguments.encoder)
    loader = TreebankLoader(reader, files, num_workers=arguments.workers, quiet=True)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    sizes, words = loader._collate.sizes(), loader._table.words
    raw = sum(len(text) for text in loader._table.texts)
    speeds = [feed(loader) for _ in range(max(arguments.repeats, 3))]
    sampler = BucketSampler()

    columns = (*STEPS, "total", "CPU s")
    sys.stdout.write(machine.describe() + "\n")
    sys.stdout.write(f"files      {len(files)}, {len(loader._table)} sentences, {words} words, ")
    sys.stdout.write(f"{raw / words:.0f} bytes of text a word\n\n")
    sys.stdout.write(f"{'seconds':<12}" + "".join(f"{name:>12}" for name in columns))
    sys.stdout.write(f"{'bytes/word':>12}{'beyond text':>12}{'peak GB':>10}\n")
    for name, repeats in rows.items():
        row = {key: statistics.median(repeat[key] for repeat in repeats) for key in repeats[0]}
        held = row["held"] / words
        sys.stdout.write(f"{name:<12}" + "".join(f"{row[key]:12.2f}" for key in columns))
        sys.stdout.write(f"{held:12.0f}{held - raw / words:12.0f}{row['peak'] / 1e9:10.2f}\n")
    sys.stdout.write(f"\ntraining   {shape(sampler.batches(sizes, sampler.draw()), sizes)}\n")
    sys.stdout.write(f"parsing    {in_groups(sizes, arguments.group)}\n")
    sys.stdout.write(f"feed       {statistics.median(speeds):.0f} sentences/s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
