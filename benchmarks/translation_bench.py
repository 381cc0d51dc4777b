"""
How fast do translation models translate, beside the first of them?

    python benchmarks/translation_bench.py MODEL [MODEL ...] --text FILE --from en --to es

Models translate the first --sentences lines of a text, one line at a time and in batches of 32, in
turns. Times are CPU seconds of all threads, loading excluded; "times" is how much faster a model is
than the first one in the same repeat, as the median of --repeats. A glob that names one file will
do for FILE.
"""

import argparse
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import machine  # before allennlp: it applies the fixes that importing allennlp needs
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from udify_allennlp.apps.analysis.output.files import names_of, write_table
from udify_allennlp.archives.loading import archive_in
from udify_allennlp.text.conllu import expand_paths
from udify_allennlp.translation.aligned_text import read_lines
from udify_allennlp.translation.predictor import TranslationPredictor

BATCHES = (1, 32)
HEADER = ("model", "weights (M)", "archive (MB)", "beam", *(
    f"{name}, batch {size}" for size in BATCHES for name in ("sentences/s", "times")
))  # fmt: skip


class Loaded(NamedTuple):
    """A model to be measured."""

    predictor: TranslationPredictor
    megabytes: float


def load(path: str) -> Loaded:
    """Returns a model, with the size of its archive."""
    predictor: Any = Predictor.from_archive(load_archive(path))
    if not isinstance(predictor, TranslationPredictor):
        raise SystemExit(f"{path} is not a translation model. Name an archive or a run of one.")
    return Loaded(predictor, Path(archive_in(path)).stat().st_size / 1e6)


def seconds(
    predictor: TranslationPredictor, lines: list[str], batch_size: int, *langs: str
) -> float:
    """Returns the CPU seconds in which a model translates lines."""
    start = time.process_time()
    count = sum(1 for _ in predictor.translate(lines, *langs, batch_size=batch_size))
    assert count == len(lines)
    return time.process_time() - start


def measured(
    models: list[TranslationPredictor], lines: list[str], repeats: int, *langs: str
) -> list[list[tuple[float, float]]]:
    """
    Returns for each model, and each size of batches, sentences per second and how many times as
    fast as the first model it is.
    """
    for model in models:
        seconds(model, lines[:2], 1, *langs)  # what is made at the first call
    rows: list[list[tuple[float, float]]] = [[] for _ in models]
    for size in BATCHES:
        times = [[seconds(model, lines, size, *langs) for model in models] for _ in range(repeats)]
        for number, row in enumerate(rows):
            speed = median(len(lines) / repeat[number] for repeat in times)
            row.append((speed, median(repeat[0] / repeat[number] for repeat in times)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", metavar="MODEL", nargs="+", help="archives or runs")
    parser.add_argument("--text", metavar="FILE", required=True)
    parser.add_argument("--from", dest="source", required=True, help="language of the text")
    parser.add_argument("--to", dest="target", required=True)
    parser.add_argument("--sentences", metavar="N", type=int, default=100)
    parser.add_argument("--repeats", metavar="N", type=int, default=3)
    parser.add_argument("--out", metavar="TSV", type=Path)
    args = parser.parse_args()
    paths = expand_paths([args.text])
    if len(paths) != 1:
        parser.error(f"--text names {len(paths)} files, {', '.join(paths)}. Name one.")
    lines = list(islice(filter(None, read_lines(paths[0])), args.sentences))
    loaded = [load(path) for path in args.models]
    models = [each.predictor for each in loaded]
    rows = measured(models, lines, args.repeats, args.source, args.target)
    table: list[list[Any]] = [list(HEADER)]
    for name, (predictor, megabytes), speeds in zip(names_of(args.models), loaded, rows):
        weights = sum(weight.numel() for weight in predictor.model.parameters()) / 1e6
        flat = [value for pair in speeds for value in pair]
        beam = predictor.model.search.beam_size
        table.append([name.removesuffix(".tar.gz"), weights, megabytes, beam, *flat])
    sys.stdout.write(machine.describe() + f"\n{len(lines)} sentences\n")
    for row in table:
        cells = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row)
        sys.stdout.write("".join(f"{cell:>23}" for cell in cells) + "\n")
    if args.out:
        write_table(args.out, table)


if __name__ == "__main__":
    main()
