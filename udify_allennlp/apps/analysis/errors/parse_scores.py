"""Scores of parses in one table, and the significance of their differences: `ud-score`."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.parsed_paths import gold_sentences, parsed_paths
from udify_allennlp.apps.analysis.output.screen import show
from udify_allennlp.scoring.bootstrap import Difference, difference, resample
from udify_allennlp.scoring.official import (
    METRICS,
    SEGMENTATION,
    official_counts,
    report,
    scores_of,
)
from udify_allennlp.scoring.undefined_scores import filled, honest, kept, macro_average
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.files import write_whole

ALL = SEGMENTATION + METRICS
COLUMN_NAMES = {
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "FEATS",
    "lemmas": "LEMMA",
    "heads": "HEAD",
    "deprels": "DEPREL",
}
Rows = list[tuple[str, dict[str, float]]]
"""Scores by treebank."""


class Parse(NamedTuple):
    """The result of `official_counts` for a treebank."""

    counts: np.ndarray
    columns: set[str]
    """Columns that both gold and the parse fill in."""
    kept: set[str]
    """Columns that may be copied from gold, see `undefined_scores.kept`."""


def score_parses(
    golds: dict[str, str],
    parsed: dict[str, str],
    metrics: Optional[Sequence[str]],
    official: bool,
    samples: int,
    seed: int,
    out: Optional[str],
) -> None:
    """
    Prints the table and the differences, and writes them to a file.

    # Parameters

    golds : `Dict[str, str]`
        Gold files by the names of treebanks.
    parsed : `Dict[str, str]`
        Parses by name; each is compared with the first.
    metrics : `Optional[Sequence[str]]`
        By default `METRICS`, and `SEGMENTATION` if words differ.
    official : `bool`
        True if no score is left out.
    samples, seed : `int`
        Number of bootstrap samples, and random seed; without samples there are no differences.
    out : `Optional[str]`
        A TSV file for all scores and differences.
    """
    names = list(parsed)
    with Tqdm.tqdm(total=len(names) * len(golds), desc="scoring", unit=" files") as bar:
        parses = {name: _parses(golds, path, bar) for name, path in parsed.items()}
    scores = {name: _scores(files, official) for name, files in parses.items()}
    same_words = all(row["Words"] == 100 for rows in scores.values() for _, row in rows)
    metrics = metrics or (METRICS if same_words else ALL)
    if len(golds) == 1:
        rows = [(name, row[0][1]) for name, row in scores.items()]
        text = report(rows, metrics, average=False)
    else:
        text = "\n".join(f"{name}\n{report(row, metrics)}" for name, row in scores.items())
    differences = []
    if samples and len(names) > 1:
        counts = [[parse.counts for parse in files.values()] for files in parses.values()]
        first, *others = (resample(file_counts, samples, seed) for file_counts in counts)
        differences = [(name, difference(first, other)) for name, other in zip(names[1:], others)]
    show(text, best=len(golds) == 1)
    if not official:
        show("".join(f"{name}: {note}\n" for name, note in _notes(parses)))
    for name, metric_differences in differences:
        both = _shared(metrics, scores[names[0]], scores[name])
        show(f"\n{name} over {names[0]}\n{_table(metric_differences, both)}")
    if out:
        write_whole(out, [_tsv(scores, differences, names[0]).encode()])


def _parses(golds: dict[str, str], parsed: str, bar: Any) -> dict[str, Parse]:
    """Returns the parse of each gold file, by treebank."""
    paths = parsed_paths(golds, parsed)
    parses = {}
    for (name, gold), path in zip(golds.items(), paths):
        both = gold_sentences(gold), list(read_sentences(path))
        try:
            counts = official_counts(*both, path)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        parses[name] = Parse(counts, set.intersection(*map(filled, both)), kept(*both))
        bar.update()
    return parses


def _scores(parses: dict[str, Parse], official: bool) -> Rows:
    copied = _kept(parses)
    rows = [
        (name, scores_of(parse.counts), parse.columns - copied) for name, parse in parses.items()
    ]
    return [(name, row if official else honest(row, columns)) for name, row, columns in rows]


def _kept(parses: dict[str, Parse]) -> set[str]:
    """Returns the columns that are copied from gold in all files."""
    return set.intersection(*(parse.kept for parse in parses.values()))


def _notes(parses: dict[str, dict[str, Parse]]) -> Iterator[tuple[str, str]]:
    """
    Yields by the name of a parse the reason that it has no score for a column in which gold has
    values.
    """
    for name, files in parses.items():
        filled_in = set.union(*(parse.columns for parse in files.values()))
        copied_columns = [
            COLUMN_NAMES[column] for column in COLUMN_NAMES if column in _kept(files) & filled_in
        ]
        if copied_columns:
            verb = "is" if len(copied_columns) == 1 else "are"
            said = (
                f"{', '.join(copied_columns)} {verb} copied from gold for all words, and not "
                "scored (use --official to include)"
            )
            yield name, said


def _shared(metrics: Sequence[str], *scores: Rows) -> list[str]:
    """Returns the metrics that all rows of all parses have."""
    return [m for m in metrics if all(m in row for rows in scores for _, row in rows)]


def _table(differences: dict[str, Difference], metrics: Sequence[str]) -> str:
    lines = [f"{'metric':<10}{'points':>8}{'95% interval':>20}{'p':>9}"]
    for metric in metrics:
        points, low, high, p = differences[metric]
        interval = f"{low:+.2f} to {high:+.2f}"
        lines.append(f"{metric:<10}{points:>+8.2f}{interval:>20}{p:>9.4f}")
    return "\n".join(lines) + "\n"


def _tsv(
    scores: dict[str, Rows],
    differences: Sequence[tuple[str, dict[str, Difference]]],
    first: str,
) -> str:
    """
    Returns a line for each score; the lines of differences name the parse compared with, and the
    significance.
    """
    lines = [["treebank", "parse", "over", "metric", "value", "low", "high", "p"]]
    for name, rows in scores.items():
        averages = [("macro average", macro_average(rows, ALL))] if len(rows) > 1 else []
        for treebank, values in [*rows, *averages]:
            filled_metrics = [metric for metric in ALL if metric in values]
            lines += [[treebank, name, "", m, repr(values[m]), "", "", ""] for m in filled_metrics]
    treebank = "macro average" if len(scores[first]) > 1 else scores[first][0][0]
    for name, metric_differences in differences:
        lines += [[treebank, name, first, m, *map(repr, metric_differences[m])] for m in ALL]
    return "".join("\t".join(line) + "\n" for line in lines)
