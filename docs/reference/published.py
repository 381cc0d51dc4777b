"""Scores of the shipped model beside those that other parsers publish for the same treebanks."""

from collections.abc import Sequence
from pathlib import Path

from docs.reference.markdown import table
from docs.reference.scores import treebank
from udify_allennlp.text.line_reader import read_rows

OURS = "`multilingual`"
UNTRAINED = " †"
"""Marks treebanks that the shipped model was not trained on."""
_METRIC = "raw LAS"


def markdown(published: Path, scores: Path, sources: Path) -> str:
    """
    A table of raw LAS by treebank, ours and that of each parser. The last rows are means over the
    treebanks of all parsers: where ours was trained, and elsewhere.
    """
    rows = read_rows(published)
    heads = (OURS, *dict.fromkeys(row["parser"] for row in rows))
    figures = {row["treebank"]: {OURS: row[_METRIC]} for row in read_rows(scores)}
    for row in rows:
        figures[row["treebank"]][row["parser"]] = row[_METRIC]
    names = {row["treebank"] for row in rows}
    lines: list[Sequence[str]] = []
    of_all: dict[str, list[dict[str, str]]] = {"": [], UNTRAINED: []}
    for source in sorted(read_rows(sources), key=lambda source: source["folder"]):
        if (name := treebank(source)) in names:
            mark = UNTRAINED if source["use"] == "no" else ""
            cells = [figures[name].get(head, "") for head in heads]
            lines.append((source["folder"].removeprefix("UD_") + mark, *cells))
            if all(cells):
                of_all[mark].append(figures[name])
    lines += [_means(group, heads, mark) for mark, group in of_all.items() if group]
    return table(("treebank", *heads), lines)


def _means(figures: Sequence[dict[str, str]], heads: Sequence[str], mark: str) -> tuple[str, ...]:
    means = (sum(float(row[head]) for row in figures) / len(figures) for head in heads)
    return (
        f"**mean ({len(figures)} that all publish)**{mark}",
        *(f"**{mean:.2f}**" for mean in means),
    )
