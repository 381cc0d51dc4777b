"""One table of scores: a row for each treebank and model, and the averages by resource class."""

from collections.abc import Iterable, Sequence
from statistics import mean, stdev
from typing import NamedTuple, Optional

import numpy as np

from udify_allennlp.apps.studies.treebanks import CLASSES, SEEN, ZERO_SHOT

ALL_TRAINED = "all but zero-shot"
METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")


class Score(NamedTuple):
    """
    F1 in percent, by metric, of a model on the test file of a treebank of a resource class: for the
    run with a seed, with the `official_counts` of its parse, if it was made here.
    """

    treebank: str
    resources: str
    model: str
    values: dict[str, float]
    seed: Optional[int] = None
    counts: Optional[np.ndarray] = None


class Row(NamedTuple):
    """
    A model, its values by the table's metrics (`None` for missing ones), and the standard deviation
    of each over `runs` with several seeds, `None` for one run.
    """

    model: str
    values: list[Optional[float]]
    spread: list[Optional[float]]
    runs: int


class Group(NamedTuple):
    """
    A treebank or an average, its class, and its models; `comparable` if all cover the same data.
    """

    name: str
    resources: str
    rows: list[Row]
    comparable: bool = True


class ScoreTable:
    """
    The layout of the thesis's Tables 4.1 and 4.2: models of one treebank below each other. If there
    are several, the best scores are bold.

    Runs of one model with several seeds are one row: their mean ± their standard deviation (of a
    sample: over n - 1). For an average, it is the deviation of the averages of each seed, if all of
    its treebanks have a score for each seed.

    An average is the unweighted mean over the treebanks for which every model has a score, so that
    all models are averaged over the same treebanks; it shows their number and the total number.
    Zero-shot treebanks, which models of one treebank cannot parse, have a separate average and are
    excluded from the others. If models have no treebank in common, each is averaged over its own
    treebanks, the numbers show this, and nothing is bold. A score without a column in the gold data
    or the model (`undefined_scores.py`) is `-`, excluded from averages, and never bold.

    # Parameters

    scores : `Sequence[Score]`
        The scores, in the order of the rows.
    models : `Sequence[str]`
        The models, in the order of comparison.
    metrics : `Sequence[str]`
        The columns.
    """

    def __init__(
        self, scores: Sequence[Score], models: Sequence[str], metrics: Sequence[str] = METRICS
    ) -> None:
        self._models = models
        self._metrics = metrics
        self.groups: list[Group] = []
        for treebank in dict.fromkeys(score.treebank for score in scores):
            of_treebank = [score for score in scores if score.treebank == treebank]
            self.groups.append(Group(treebank, of_treebank[0].resources, self._rows(of_treebank)))
        for resources, of_class in averaged(scores):
            self._add_average(resources, of_class)

    def _add_average(self, resources: str, scores: list[Score]) -> None:
        scored = [{s.treebank for s in scores if s.model == model} for model in self._models]
        scored = [treebanks for treebanks in scored if treebanks]
        every, common = set.union(*scored), set.intersection(*scored)
        counts = [len(common)] if common else list(map(len, scored))
        number = "/".join(map(str, counts))
        if counts != [len(every)]:
            number += f" of {len(every)}"
        rows = self._rows([s for s in scores if s.treebank in (common or every)])
        name = f"macro average ({number})"
        self.groups.append(Group(name, resources, rows, comparable=bool(common)))

    def _rows(self, scores: list[Score]) -> list[Row]:
        rows = []
        scored = {m: {s.treebank for s in scores if m in s.values} for m in self._metrics}
        for model in self._models:
            runs: dict[Optional[int], dict[str, dict[str, float]]] = {}
            for score in scores:
                if score.model == model:
                    runs.setdefault(score.seed, {})[score.treebank] = score.values
            if runs:
                cells = [_mean_and_spread(list(runs.values()), m, scored[m]) for m in self._metrics]
                values, spread = zip(*cells)
                rows.append(Row(model, list(values), list(spread), len(runs)))
        return rows

    def tsv(self) -> str:
        """
        Returns all rows in full precision, nothing bold, with standard deviations in separate
        columns.
        """
        spreads = [f"{metric} ±" for metric in self._metrics]
        lines = ["\t".join(("treebank", "resources", "model", *self._metrics, "runs", *spreads))]
        for name, resources, rows, _ in self.groups:
            for model, values, spread, runs in rows:
                figures = [*map(_figure, values), str(runs), *map(_figure, spread)]
                lines.append("\t".join((name, resources, model, *figures)))
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        lines = [f"| treebank | resources | model | {' | '.join(self._metrics)} |"]
        lines.append("|" + "---|" * 3 + "---:|" * len(self._metrics))
        for group in self.groups:
            for index, (model, figures) in enumerate(_with_best(group, "**{}**", " ± ")):
                first = (group.name, group.resources) if index == 0 else ("", "")
                lines.append("| " + " | ".join((*first, model, *figures)) + " |")
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """Returns a `tabular`, which needs the package booktabs."""
        lines = [r"\begin{tabular}{lll" + "r" * len(self._metrics) + "}", r"\toprule"]
        lines.append(" & ".join(("Treebank", "Resources", "Model", *self._metrics)) + r" \\")
        for group in self.groups:
            lines.append(r"\midrule")
            named = (group.name.replace("_", r"\_"), group.resources)
            for index, (model, figures) in enumerate(
                _with_best(group, r"\textbf{{{}}}", r" $\pm$ ")
            ):
                first = named if index == 0 else ("", "")
                lines.append(" & ".join((*first, model.replace("_", r"\_"), *figures)) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def averaged(scores: Sequence[Score]) -> Iterable[tuple[str, list[Score]]]:
    """
    Yields the averages: the scores of each non-empty resource class, and of all treebanks with
    training data.
    """
    for resources in CLASSES:
        of_class = [score for score in scores if score.resources == resources]
        if of_class:
            yield resources, of_class
    trained = [score for score in scores if score.resources not in (ZERO_SHOT, SEEN)]
    if trained:
        yield ALL_TRAINED, trained


def _mean_and_spread(
    runs: list[dict[str, dict[str, float]]], metric: str, scored: set[str]
) -> tuple[Optional[float], Optional[float]]:
    """
    Returns the mean and standard deviation of a metric in runs `{treebank: {metric: value}}`, over
    the treebanks that have it `scored` for some model: each treebank counts once in the mean.
    """
    treebanks = scored & set().union(*runs)
    if not treebanks:
        return None, None
    try:
        of_treebank = [[run[t][metric] for run in runs if t in run] for t in treebanks]
    except KeyError:  # external rows may lack metrics
        return None, None
    spread = None
    if len(runs) > 1 and all(treebanks <= run.keys() for run in runs):
        spread = stdev(mean(run[treebank][metric] for treebank in treebanks) for run in runs)
    return mean(map(mean, of_treebank)), spread


def _figure(value: Optional[float]) -> str:
    return "" if value is None else f"{value:.2f}"


def _with_best(group: Group, bold: str, sign: str) -> list[tuple[str, list[str]]]:
    """Returns values as text, the best of each column bold if there are several comparable ones."""
    shown = [(row.model, list(map(_figure, row.values))) for row in group.rows]
    if len(shown) > 1 and group.comparable:
        for column in range(len(shown[0][1])):
            numbers = [figures[column] for _, figures in shown if figures[column]]
            best = max(numbers, key=float, default="")
            for _, figures in shown:
                if best and figures[column] == best:
                    figures[column] = bold.format(best)
    for row, (_, figures) in zip(group.rows, shown):
        for column, spread in enumerate(row.spread):
            if spread is not None:
                figures[column] += sign + _figure(spread)
    return [(model, [figure or "-" for figure in figures]) for model, figures in shown]
