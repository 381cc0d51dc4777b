"""
Reports on a terminal have ruled tables and colours; in files and pipes they are plain text. rich is
imported when it is used, since every command imports this module.
"""

import re
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Rows = list[list[str]]


def show(report: str, best: bool = False) -> None:
    """
    Prints a report. A table is a sequence of lines with the same number of columns, separated by
    two or more spaces; its first line is the head.

    # Parameters

    best : `bool`
        If true, the highest number of each column is marked.
    """
    if not sys.stdout.isatty():
        sys.stdout.write(report)
        return
    from rich.console import Console

    console = Console()
    for columns, lines in groupby(report.splitlines(), lambda line: len(_cells(line))):
        block = list(lines)
        table = ruled([_cells(line) for line in block], best) if columns > 2 else None
        if table and _width(console, table) <= console.width:
            console.print(table)
        else:
            sys.stdout.write("".join(f"{line}\n" for line in block))


def _width(console: "Console", table: "Table") -> int:
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum


def _cells(line: str) -> list[str]:
    return re.split(r" {2,}", line.strip())


def ruled(rows: Rows, best: bool = False) -> "Table":
    """Returns a table with its first row as head, names to the left and numbers to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    head, *body = rows
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    highest = [_highest(column) if best and len(body) > 1 else None for column in zip(*body)]
    for name, *numbers in body:
        cells = [
            Text(cell, style="bold green" if cell == top else "")
            for cell, top in zip(numbers, highest[1:])
        ]
        style = "bold" if name == "macro average" else ""
        table.add_row(Text(name), *cells, style=style)
    return table


def _highest(column: Sequence[str]) -> str:
    """Returns the highest number of a column as written; an empty string if all are equal."""
    numbers = {cell for cell in column if re.fullmatch(r"\d+\.\d+", cell)}
    return max(numbers, key=float) if len(numbers) > 1 else ""


def show_pairs(pairs: Sequence[Sequence[str]]) -> None:
    """Prints pairs; on a terminal, names are bold and their values are aligned beside them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for name, value in pairs:
        grid.add_row(Text(name), Text(value))
    Console().print(grid)
