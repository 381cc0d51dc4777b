"""
Significance of the differences between the models of an experiment: over sentences (the paired
bootstrap) and over seeds (Welch's t).
"""

import logging
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from typing import NamedTuple, Optional

import numpy as np

from udify_allennlp.apps.studies.score_table import METRICS, Score, averaged
from udify_allennlp.scoring.bootstrap import (
    Difference,
    Resampled,
    difference,
    mean_of_runs,
    resample,
)
from udify_allennlp.scoring.counts import METRICS as OFFICIAL
from udify_allennlp.scoring.counts import SEGMENTATION, f1

logger = logging.getLogger(__name__)

SHOWN = ("UPOS", "UFeats", "Lemmas", "LAS")
"""Metrics in the Markdown table by default; the TSV has all."""
COUNTED = SEGMENTATION + OFFICIAL
"""The metrics of `official_counts`."""
MEAN = "macro average"
SURE = 0.05


class Compared(NamedTuple):
    """
    The gain of `second` over `first` by metric, on a treebank or as a mean over several: `gains`
    with intervals over sentences and, if both have several runs, `of_seeds` with intervals over
    seeds.
    """

    name: str
    resources: str
    first: str
    second: str
    gains: dict[str, Difference]
    of_seeds: dict[str, Difference]


def differences(
    scores: Sequence[Score], models: Sequence[str], names: Sequence[str] = COUNTED
) -> list[Compared]:
    """
    Returns the differences of each pair of models on each treebank that both have parsed, then for
    the mean over the treebanks of each class: the paired bootstrap over the sentences of their
    parses, with the mean over runs of several seeds, and, for several runs each, Welch's t over the
    runs that have parsed all of these treebanks. External rows have no parses and are left out.
    `names` are the metrics of the scores' counts; a metric is not compared if one of the two has no
    score for it, such as UPOS for a model that reads UPOS as input.
    """
    compared: list[Compared] = []
    seeds = {score.seed for score in scores if score.counts is not None}
    if len(seeds) > 1 and not can_compare():
        logger.warning(
            "Variation between seeds is missing from the differences, since scipy is not "
            "installed: pip install 'udify_allennlp[viz]', then repeat the command."
        )
    for treebank in dict.fromkeys(score.treebank for score in scores):
        of_treebank = [score for score in scores if score.treebank == treebank]
        compared += _pairs(treebank, of_treebank[0].resources, of_treebank, models, names)
    for resources, of_class in averaged(scores):
        if len({score.treebank for score in of_class}) > 1:
            compared += _pairs(MEAN, resources, of_class, models, names)
    return compared


def _pairs(
    name: str,
    resources: str,
    scores: Sequence[Score],
    models: Sequence[str],
    names: Sequence[str],
) -> list[Compared]:
    parses = {model: _parses(scores, model) for model in models}
    metrics_of = {model: _known(scores, model) for model in models}

    @cache  # most pairs have the same treebanks in common
    def resampled(model: str, treebanks: tuple[str, ...]) -> Resampled:
        return resample([parses[model][treebank] for treebank in treebanks])

    @cache
    def runs(model: str, treebanks: tuple[str, ...]) -> np.ndarray:
        return _runs(scores, model, treebanks)

    compared = []
    for first, second in combinations(models, 2):
        common = [treebank for treebank in parses[first] if treebank in parses[second]]
        gains: dict[str, Difference] = {}
        of_seeds: dict[str, Difference] = {}
        # A figure is compared on the treebanks where both models have it, as the averages are.
        both = {
            metric: tuple(
                t for t in common if metric in metrics_of[first][t] & metrics_of[second][t]
            )
            for metric in names
        }
        for treebanks in set(both.values()) - {()}:
            metrics = [metric for metric in names if both[metric] == treebanks]
            gain = difference(resampled(first, treebanks), resampled(second, treebanks), names)
            gains.update({metric: gain[metric] for metric in metrics})
            pair = runs(first, treebanks), runs(second, treebanks)
            if min(map(len, pair)) > 1 and can_compare():
                beyond = welch(*pair, names)
                of_seeds.update({metric: beyond[metric] for metric in metrics})
        if common:
            compared.append(
                Compared(_counted(name, common), resources, first, second, gains, of_seeds)
            )
    return compared


def _known(scores: Sequence[Score], model: str) -> dict[str, set[str]]:
    """Returns by treebank the metrics for which all runs of the model have a score."""
    metrics_of: dict[str, set[str]] = {}
    for score in scores:
        if score.model == model and score.counts is not None:
            its = set(score.values)
            metrics_of[score.treebank] = metrics_of.get(score.treebank, its) & its
    return metrics_of


def _runs(scores: Sequence[Score], model: str, treebanks: Sequence[str]) -> np.ndarray:
    """
    Returns the mean of each run of the model that has parsed all `treebanks`: `(runs, metrics)`.
    """
    runs: dict[Optional[int], dict[str, np.ndarray]] = {}
    for score in scores:
        if score.model == model and score.counts is not None and score.treebank in treebanks:
            runs.setdefault(score.seed, {})[score.treebank] = f1(score.counts.sum(axis=0))
    whole = [list(run.values()) for run in runs.values() if len(run) == len(treebanks)]
    return np.array(whole).mean(axis=1) if whole else np.zeros((0, 0))


def _counted(name: str, treebanks: Sequence[str]) -> str:
    return f"{name} ({len(treebanks)})" if name == MEAN else name


def _parses(scores: Sequence[Score], model: str) -> dict[str, np.ndarray]:
    """Returns the counts of each treebank, as a mean over all runs of the model."""
    runs: dict[str, list[np.ndarray]] = {}
    for score in scores:
        if score.model == model and score.counts is not None:
            runs.setdefault(score.treebank, []).append(score.counts)
    return {treebank: mean_of_runs(counts) for treebank, counts in runs.items()}


def markdown(compared: Sequence[Compared], shown: Sequence[str] = SHOWN) -> str:
    """
    Returns a table of points with their 95% intervals, over sentences and then over seeds; bold
    where p is below 0.05, by both if both exist.
    """
    lines = [f"| treebank | resources | comparison | {' | '.join(shown)} |"]
    lines.append("|" + "---|" * 3 + "---:|" * len(shown))
    before: Optional[str] = None
    for name, resources, first, second, gains, of_seeds in compared:
        cells = [_cell(gains.get(metric), of_seeds.get(metric)) for metric in shown]
        named = (name, resources) if name + resources != before else ("", "")
        before = name + resources
        lines.append("| " + " | ".join((*named, f"{second} over {first}", *cells)) + " |")
    return "\n".join(lines) + "\n"


def _cell(gain: Optional[Difference], of_seeds: Optional[Difference]) -> str:
    if gain is None:
        return "-"
    points = f"{gain.points:+.2f}"
    tests = [gain, *([of_seeds] if of_seeds else [])]
    shown = f"**{points}**" if all(test.p < SURE for test in tests) else points
    intervals = [f"{test.low:+.2f} to {test.high:+.2f}" for test in tests]
    return f"{shown} ({'; seeds '.join(intervals)})"


def tsv(compared: Sequence[Compared], metrics: Sequence[str] = METRICS) -> str:
    """Returns a line for each metric; the last columns are empty if a model has a single run."""
    columns = ("treebank", "resources", "model", "over", "metric", "points", "low", "high", "p")
    lines = ["\t".join((*columns, "seeds_low", "seeds_high", "seeds_p"))]
    for name, resources, first, second, gains, of_seeds in compared:
        for metric in (metric for metric in metrics if metric in gains):
            figures = [f"{value:.4f}" for value in gains[metric]]
            seeds = of_seeds.get(metric)
            figures += [f"{value:.4f}" for value in seeds[1:]] if seeds else [""] * 3
            lines.append("\t".join((name, resources, second, first, metric, *figures)))
    return "\n".join(lines) + "\n"


def can_compare() -> bool:
    """Returns whether scipy, which `welch` needs, is installed."""
    return find_spec("scipy") is not None


def welch(first: np.ndarray, second: np.ndarray, names: Sequence[str]) -> dict[str, Difference]:
    """
    Returns the difference between the means of the runs `second` and `first` for the metrics
    `names`, with its 95% interval and `p`: Welch's t (1947), which assumes neither equal variances
    nor paired runs. The interval is wide for few runs, such as three and three. It covers variation
    between seeds, the paired bootstrap (`bootstrap.py`) variation between sentences.

    # Parameters

    first, second : `np.ndarray`
        Scores of at least two runs each, `(runs, metrics)`; the numbers of runs may differ.

    # Raises

    `ValueError` for fewer than two runs.
    """
    from scipy.stats import t

    if min(len(first), len(second)) < 2:
        raise ValueError("one run does not show variation between seeds. Compare two or more.")
    gain = second.mean(axis=0) - first.mean(axis=0)
    a, b = (runs.var(axis=0, ddof=1) / len(runs) for runs in (first, second))
    # Where all runs are alike the error is 0, whatever its freedom.
    squares = np.maximum(a**2 / (len(first) - 1) + b**2 / (len(second) - 1), 1e-30)
    freedom = np.maximum((a + b) ** 2 / squares, 1)
    error = np.maximum(np.sqrt(a + b), 1e-9)
    reach = t.ppf(0.975, freedom) * error
    p = 2 * t.sf(np.abs(gain) / error, freedom)
    columns = zip(*(values.tolist() for values in (gain, gain - reach, gain + reach, p)))
    return {name: Difference(*row) for name, row in zip(names, columns)}
