"""Scores of the shipped model: means over treebanks, by group and by language."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from docs.reference.markdown import table
from udify_allennlp.text.line_reader import read_rows

Row = dict[str, str]
_COLUMNS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "raw Sentences", "raw Words", "raw LAS")
_LANGUAGE_COLUMNS = ("LAS", "UFeats", "Lemmas", "raw LAS")
GROUPS = (
    "Trained on",
    "Other treebanks of these languages",
    "Languages that it was not trained on",
)
SIZES = {
    "on fewer than 1,000 sentences": range(1, 1_000),
    "on 1,000 to 9,999": range(1_000, 10_000),
    "on 10,000 or more": range(10_000, 10**9),
}
"""Classes of those that were trained on: low, medium and high in `ud-experiment`."""


def averages(scores: Path, sources: Path) -> str:
    """Returns a table of the averages of each group; empty while nothing has been scored."""
    if not scores.exists():
        return ""
    trained, *others = _grouped(read_rows(scores), read_rows(sources)).items()
    means = [
        (name, str(len(rows)), *(_mean(rows, column) for column in _COLUMNS))
        for name, rows in (trained, *_by_size(trained[1]).items(), *others)
    ]
    return table(("macro average", "treebanks", *_COLUMNS), means)


def languages(scores: Path, sources: Path) -> str:
    """
    Returns a table of the languages that were trained on, with means over their treebanks of the
    first group and the number of these if it is not 1, and a table of the other languages; empty
    while nothing has been scored.
    """
    if not scores.exists():
        return ""
    trained, _, others = _grouped(read_rows(scores), read_rows(sources)).values()
    return f"{_by_language(trained)}\n### {GROUPS[2]}\n\n{_by_language(others)}"


def treebank(source: Row) -> str:
    """`af_afribooms` for `UD_Afrikaans-AfriBooms`, as its files are named."""
    return f"{source['lang']}_{source['folder'].rsplit('-', 1)[1].lower()}"


def _grouped(scores: Sequence[Row], sources: Sequence[Row]) -> dict[str, list[Row]]:
    trained = {row["lang"] for row in sources if row["use"] != "no"}
    by_name = {treebank(row): row for row in sources}
    grouped: dict[str, list[Row]] = {name: [] for name in GROUPS}
    for row in sorted(scores, key=lambda row: by_name[row["treebank"]]["folder"]):
        source = by_name[row["treebank"]]
        if source["use"] != "no":
            group = GROUPS[0]
        else:
            group = GROUPS[1] if source["lang"] in trained else GROUPS[2]
        grouped[group].append({**row, **source})
    return grouped


def _by_size(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {
        name: [row for row in rows if int(row["sentences"]) in sizes]
        for name, sizes in SIZES.items()
    }


def _by_language(rows: Sequence[Row]) -> str:
    lines = []
    for name, group in groupby(rows, key=_language):
        treebanks = list(group)
        means = (_mean(treebanks, column) for column in _LANGUAGE_COLUMNS)
        count = f" ({len(treebanks)})" if len(treebanks) > 1 else ""
        lines.append((name + count, *means))
    return table(("language", *_LANGUAGE_COLUMNS), lines)


def _language(row: Row) -> str:
    return row["folder"].removeprefix("UD_").rsplit("-", 1)[0].replace("_", " ")


def _mean(rows: Sequence[Row], column: str) -> str:
    """Over those that have a figure: gold may leave a column empty."""
    values = [float(row[column]) for row in rows if row[column] != "-"]
    return f"{sum(values) / len(values):.2f}" if values else "-"
