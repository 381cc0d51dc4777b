"""Scores of the shipped model: every treebank, in groups by what it was trained on."""

from collections.abc import Sequence
from pathlib import Path

from docs.reference.markdown import table
from udify_allennlp.text.languages import language_name
from udify_allennlp.text.line_reader import read_rows

Row = dict[str, str]
_COLUMNS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "raw Sentences", "raw Words", "raw LAS")
_HEADS = ("treebank", "language", "words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
_RAW_HEADS = ("sentences", "words", "LAS")
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


PART = " *"
"""Marks treebanks of whose test file most was trained on, and only the rest is scored."""


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


def markdown(scores: Path, sources: Path) -> str:
    """Returns a table of the treebanks of each group; empty while nothing has been scored."""
    if not scores.exists():
        return ""
    heads = (*_HEADS, *(f"raw: {head}" for head in _RAW_HEADS), "licence")
    groups = _grouped(read_rows(scores), read_rows(sources))
    return "\n".join(
        f"### {name}\n\n{table(heads, [_line(row) for row in rows])}"
        for name, rows in groups.items()
    )


def _grouped(scores: Sequence[Row], sources: Sequence[Row]) -> dict[str, list[Row]]:
    trained = {row["lang"] for row in sources if row["use"] != "no"}
    by_name = {_name(row): row for row in sources}
    found: dict[str, list[Row]] = {name: [] for name in GROUPS}
    for row in sorted(scores, key=lambda row: by_name[row["treebank"]]["folder"]):
        source = by_name[row["treebank"]]
        if source["use"] != "no":
            group = GROUPS[0]
        else:
            group = GROUPS[1] if source["lang"] in trained else GROUPS[2]
        found[group].append({**row, **source})
    return found


def _by_size(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {
        name: [row for row in rows if int(row["sentences"]) in sizes]
        for name, sizes in SIZES.items()
    }


def _name(source: Row) -> str:
    """`af_afribooms` of `UD_Afrikaans-AfriBooms`, as its files are named."""
    return f"{source['lang']}_{source['folder'].rsplit('-', 1)[1].lower()}"


def _line(row: Row) -> Sequence[str]:
    name, language = row["folder"].removeprefix("UD_"), language_name(row["lang"])
    if row["use"] == "split":
        name += PART
    cells = (row[column] for column in _COLUMNS)
    return (name, language, row["words"], *cells, row["licence"])


def _mean(rows: Sequence[Row], column: str) -> str:
    """Over those that have a figure: gold may leave a column empty."""
    values = [float(row[column]) for row in rows if row[column] != "-"]
    return f"{sum(values) / len(values):.2f}" if values else "-"
