"""
Gathers the figures of the study `pretraining` in one table, and prints means over treebanks.

    python benchmarks/pretraining_table.py out/results/pretraining --out pretraining.tsv

Columns are the experiment, its data (a treebank, or a corpus of phrases), the encoder, the metric,
the figure, a mean over seeds, and their standard deviation. Differences from the untouched encoder
have the 95% interval of a bootstrap over treebanks.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import numpy
from results import gathered, treebanks
from study_pretraining import EXPERIMENTS, PHRASES_ACROSS, PRETRAINED, UNSEEN, UNTOUCHED

from udify_allennlp.apps.analysis.output.files import write_table
from udify_allennlp.text.line_reader import read_rows

METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")
SAMPLES = 10_000


class Figure(NamedTuple):
    experiment: str
    data: str
    encoder: str
    metric: str
    mean: float
    deviation: float


def figures(folder: Path) -> Iterator[Figure]:
    """Yields the figures of all experiments that are there."""
    longer = sorted(path.name for path in folder.glob("joint_*"))
    for experiment in (*EXPERIMENTS, *longer):
        path = folder / experiment / "scores.tsv"
        for row in read_rows(path) if path.is_file() else ():
            if row["treebank"].startswith("macro"):
                continue
            for metric in METRICS:
                if row.get(metric):
                    deviation = float(row.get(f"{metric} ±") or "nan")
                    place = experiment, row["treebank"], row["model"], metric
                    yield Figure(*place, float(row[metric]), deviation)
    yield from _phrases(folder / "phrases")
    for path in sorted(folder.glob("probe_*/probe.tsv")):
        for row in read_rows(path):
            name = Path(row["model"]).name
            place = "probe", f"layer {row['layer']}", name if name in PRETRAINED else UNTOUCHED
            for metric in ("uuas", "root_accuracy", "spearman"):
                if row[metric]:
                    kind = f"{row['probe']} {metric}"
                    yield Figure(*place, kind, float(row[metric]), float("nan"))


def _phrases(folder: Path) -> Iterator[Figure]:
    found: dict[tuple[str, str, str], list[float]] = {}
    for run in sorted(folder.glob("* * *")) if folder.is_dir() else ():
        encoder, corpus, _ = run.name.rsplit(" ", 2)
        of_corpora = {name: f"{name} by {corpus}" for name in PHRASES_ACROSS}
        for name, data in {"scores": corpus, **of_corpora}.items():
            path = run / f"{name}.json"
            scores = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
            for metric in ("LF1", "UF1") if name == "scores" else ("UF1",):
                if metric in scores:
                    found.setdefault((data, encoder, metric), []).append(scores[metric])
    for (data, encoder, metric), runs in found.items():
        deviation = stdev(runs) if len(runs) > 1 else float("nan")
        yield Figure("phrases", data, encoder, metric, fmean(runs), deviation)


def interval(gains: list[float]) -> tuple[float, float]:
    """Returns the middle 95% of the means of gains, drawn with replacement."""
    drawn = numpy.random.default_rng(0).choice(gains, size=(SAMPLES, len(gains))).mean(1)
    low, high = numpy.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def summary(found: Iterable[Figure], experiment: str, metric: str) -> Iterator[str]:
    """
    Yields a line for each group of data and each encoder: of parsers across languages, the source,
    and languages that pretraining saw or did not see.
    """
    of_data: dict[str, dict[str, float]] = {}
    for figure in found:
        if (figure.experiment, figure.metric) == (experiment, metric):
            of_data.setdefault(figure.data, {})[figure.encoder] = figure.mean
    groups: dict[str, list[dict[str, float]]] = {}
    for data, by_encoder in of_data.items():
        groups.setdefault(_group(experiment, data), []).append(by_encoder)
    for group, rows in groups.items():
        for encoder in (UNTOUCHED, *PRETRAINED):
            if not all(encoder in row and UNTOUCHED in row for row in rows):
                continue
            mean = fmean(row[encoder] for row in rows)
            gains = [row[encoder] - row[UNTOUCHED] for row in rows]
            low, high = interval(gains)
            yield (
                f"{experiment} {metric} {group} ({len(rows)})\t{encoder}\t{mean:.2f}"
                f"\t{fmean(gains):+.2f} ({low:+.2f} to {high:+.2f})\n"
            )


def _group(experiment: str, data: str) -> str:
    if experiment == "across":
        if data in _unseen():
            return "unseen"
        return "source" if data.startswith("en_") else "seen"
    if experiment == "phrases":
        return "by another" if " by " in data else data
    return "all"


@cache
def _unseen() -> set[str]:
    return {row["treebank"] for row in treebanks() if row["folder"] in UNSEEN.split()}


def main() -> None:
    found, target = gathered(__doc__, "pretraining", figures)
    rows = [[*figure[:4], f"{figure.mean:.2f}", f"{figure.deviation:.2f}"] for figure in found]
    head = ["experiment", "data", "encoder", "metric", "figure", "±"]
    write_table(target, [head, *(["" if c == "nan" else c for c in row] for row in rows)])
    for experiment in dict.fromkeys(figure.experiment for figure in found):
        for metric in (*METRICS, "LF1", "UF1"):
            sys.stdout.writelines(summary(found, experiment, metric))


if __name__ == "__main__":
    main()
