"""Scores of a config beside other parsers that were trained on the same files."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from docs.reference.markdown import table
from udify_allennlp.text.line_reader import read_rows

METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")
_HEADS = ("treebank", "sentences", "parser", "CPU minutes", *METRICS)


def markdown(path: Path) -> str:
    """A table with treebanks by their size, of each the parsers, and in bold what is highest."""
    rows = sorted(read_rows(path), key=lambda row: (int(row["sentences"]), row["treebank"]))
    lines: list[Sequence[str]] = []
    for (name, size), group in groupby(rows, key=lambda row: (row["treebank"], row["sentences"])):
        parsers = list(group)
        best = {metric: max(float(row[metric]) for row in parsers) for metric in METRICS}
        for number, row in enumerate(parsers):
            first = ("", "") if number else (name, f"{int(size):,}")
            minutes = f"{int(row['CPU seconds']) / 60:.1f}"
            lines.append((*first, row["system"], minutes, *_cells(row, best)))
    return table(_HEADS, lines)


def _cells(row: dict[str, str], best: dict[str, float]) -> list[str]:
    cells = ((row[metric], best[metric]) for metric in METRICS)
    return [f"**{cell}**" if float(cell) == highest else cell for cell, highest in cells]
