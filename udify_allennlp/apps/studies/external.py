"""Rows for other systems, from a TSV file, for the table of an experiment."""

import math
from collections.abc import Sequence

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.studies.score_table import METRICS, Score
from udify_allennlp.apps.studies.treebanks import Treebank


def external_scores(
    path: str, treebanks: Sequence[Treebank], metrics: Sequence[str] = METRICS
) -> list[Score]:
    """
    Returns the rows of `path` for `treebanks`. The first line names the columns: `treebank`,
    `model` and some of `metrics`; an empty cell is an unknown score. Lines that begin with `#` are
    comments.

    # Raises

    `ConfigurationError`, with the line, for anything else, and if no row is for `treebanks`.
    """
    resources = {treebank.name: treebank.resources for treebank in treebanks}
    scores: list[Score] = []
    columns: list[str] = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#") or not line.strip():
                continue
            if not columns:
                columns = cells
                unknown = set(columns) - {"treebank", "model", *metrics}
                if unknown or not {"treebank", "model"} <= set(columns):
                    raise ConfigurationError(
                        f"{path}:{number}: the columns are {', '.join(columns)}. Use treebank, "
                        f"model and some of {', '.join(metrics)}, separated by tabs."
                    )
                continue
            if len(cells) != len(columns):
                raise ConfigurationError(
                    f"{path}:{number}: {len(cells)} cells for {len(columns)} columns. Write one "
                    "for each."
                )
            row = dict(zip(columns, cells))
            name, model = row.pop("treebank"), row.pop("model")
            if name in resources:
                values = _values(row, f"{path}:{number}")
                scores.append(Score(name, resources[name], model, values))
    if not scores:
        names = ", ".join(sorted(resources)[:3])
        raise ConfigurationError(
            f"{path} has no row for these treebanks. They are named {names} ..."
        )
    return scores


def _values(row: dict[str, str], where: str) -> dict[str, float]:
    values = {}
    for metric, cell in row.items():
        if cell:
            try:
                values[metric] = float(cell)
            except ValueError:
                values[metric] = math.nan
            if not 0 <= values[metric] <= 100:
                raise ConfigurationError(f"{where}: {metric} is {cell!r}. Write F1 in percent.")
    return values
