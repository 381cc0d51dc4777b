"""
Gathers the figures of the study `translation` in one table.

    python benchmarks/translation_table.py out/results/translation --out translation.tsv

Columns are the file that a figure is from, its row and its column there, and the figure: metrics of
evaluations (tatoeba/teacher.json, chrF/H2VL), tables of `ud-forgotten` and of
translation_bench.py. Prints the scores by class of directions, a column per model.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from results import gathered

from udify_allennlp.apps.analysis.output.files import write_table
from udify_allennlp.text.line_reader import read_rows
from udify_allennlp.translation.resources import CLASSES

FORGOTTEN = {
    "models": 1,
    "classes": 2,
    "directions": 3,
    "sentences": 2,
    "gender": 2,
}
"""Tables of `ud-forgotten`, with the number of columns that name a row."""
Figure = tuple[str, str, str, str]
"""File, row, column, and the figure as it is written."""


def figures(folder: Path) -> Iterator[Figure]:
    """Yields the figures of all files of a study that are there."""
    for test in ("tatoeba", "flores"):
        for path in sorted((folder / test).glob("*.json")):
            for name, value in json.loads(path.read_text(encoding="utf-8")).items():
                yield f"{test}", path.stem, name, f"{value:.2f}"
    for table, names in FORGOTTEN.items():
        yield from _rows(folder / "forgotten" / f"{table}.tsv", f"forgotten/{table}", names)
    yield from _rows(folder / "speed.tsv", "speed", 1)


def _rows(path: Path, name: str, names: int) -> Iterator[Figure]:
    for row in read_rows(path) if path.is_file() else ():
        columns = list(row)
        label = " ".join(row[column] for column in columns[:names])
        for column in columns[names:]:
            yield name, label, column, row[column]


def by_class(found: list[Figure], test: str, metric: str) -> list[list[str]]:
    """Returns the rows of Tables 6.2 and 6.9: models, and classes of directions."""
    values = {(row, column): value for name, row, column, value in found if name == test}
    models = list(dict.fromkeys(row for row, _ in values))
    classes = [f"{source}2{target}" for source in CLASSES for target in CLASSES]
    columns = [
        each
        for each in (*classes, "AVG")
        if any((model, f"{metric}/{each}") in values for model in models)
    ]
    rows = [[f"{test} {metric}", *columns, "all"]]
    for model in models:
        cells = [values.get((model, f"{metric}/{each}"), "-") for each in columns]
        rows.append([model, *cells, values.get((model, metric), "-")])
    return rows


def main() -> None:
    found, target = gathered(__doc__, "translation", figures)
    write_table(target, [["table", "row", "column", "figure"], *found])
    for test in ("tatoeba", "flores"):
        for metric in ("chrF", "ownBLEU", "off_target"):
            for row in by_class(found, test, metric):
                sys.stdout.write(f"{row[0]:<22}{''.join(f'{cell:>8}' for cell in row[1:])}\n")
            sys.stdout.write("\n")


if __name__ == "__main__":
    main()
