"""The tables of `ud-forgotten`: files of TSV, and one text to read."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from udify_allennlp.apps.analysis.output.files import write_table

Row = Sequence[Any]


class Tables:
    """
    A writer of tables into a folder, which keeps those to read.

    # Parameters

    folder : `Path`
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: list[str] = []

    def write(self, name: str, rows: Sequence[Row], title: str = "") -> None:
        """
        Writes `NAME.tsv`; with a `title`, the table is also kept for reading.

        # Parameters

        rows : `Sequence[Row]`
            The first has the names of columns; `None` is an empty cell, shown as `-` in the text.
        """
        write_table(self._folder / f"{name}.tsv", rows)
        if title and len(rows) > 1:
            self._texts.append(f"{title}\n{_aligned(rows)}")

    def text(self) -> str:
        """Returns the tables to read, as text."""
        return "\n".join(self._texts)


def _aligned(rows: Sequence[Row]) -> str:
    cells = [[_shown(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for row in cells:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]))
    return "".join(line.rstrip() + "\n" for line in lines)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def times_100(value: Optional[float]) -> Optional[float]:
    """Returns a share in percent; `None` for `None`."""
    return None if value is None else 100 * value


def model_rows(
    sizes: Mapping[str, Optional[int]], means: Mapping[str, Mapping[str, float]]
) -> list[Row]:
    """
    Rows of models, the base first, by their names (Table 5.2).

    # Parameters

    sizes : `Mapping[str, Optional[int]]`
        Bytes of each archive; `None` if the model is not a single file.
    means : `Mapping[str, Mapping[str, float]]`
        The mean of each metric, by model.
    """
    first = next(iter(sizes))
    metrics = list(means[first])
    rows: list[Row] = [["model", "MB", "of base %", *metrics]]
    for name, size in sizes.items():
        base_size = sizes[first]
        share = 100 * size / base_size if size and base_size else None
        cells = [means[name].get(metric) for metric in metrics]
        rows.append([name, size / 1e6 if size else None, share, *cells])
    return rows
