"""Scores of a config beside other parsers that were trained on the same files."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from docs.reference.markdown import table
from udify_allennlp.text.line_reader import read_rows

METRICS = ("UFeats", "Lemmas", "LAS")


def markdown(path: Path) -> str:
    """A table with a row for each treebank, by size, of all parsers; the highest are in bold."""
    rows = sorted(read_rows(path), key=lambda row: (int(row["sentences"]), row["treebank"]))
    systems = tuple(dict.fromkeys(row["system"] for row in rows))
    lines: list[Sequence[str]] = []
    for (name, size), group in groupby(rows, key=lambda row: (row["treebank"], row["sentences"])):
        by_system = {row["system"]: row for row in group}
        cells = [
            cell for metric in METRICS for cell in _cells([by_system[s][metric] for s in systems])
        ]
        lines.append((name, f"{int(size):,}", *cells))
    firsts = [f"{metric}: {systems[0]}" for metric in METRICS]
    heads = [head for first in firsts for head in (first, *systems[1:])]
    return table(("treebank", "sentences", *heads), lines)


def _cells(values: Sequence[str]) -> list[str]:
    highest = max(map(float, values))
    return [f"**{value}**" if float(value) == highest else value for value in values]
