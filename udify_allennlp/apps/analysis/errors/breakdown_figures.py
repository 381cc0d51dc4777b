"""Figures of differences between parsers by kinds of arcs."""

from pathlib import Path
from typing import List, NamedTuple, Sequence

from udify_allennlp.apps.analysis.output.figures import COLORS, new_figure


class BarPanel(NamedTuple):
    """A bar for each named thing, in their order."""

    title: str
    ylabel: str
    names: Sequence[str]
    values: Sequence[float]


def draw_bars(path: Path, panels: List[BarPanel]) -> None:
    """Panels side by side as they fit; bars below zero are blue (Ahmad et al. 2019, Figure 3)."""
    width = max(4.0, 0.28 * max(len(panel.names) for panel in panels) + 1.5)
    columns = max(1, min(3, int(14 / width), len(panels)))
    rows = -(-len(panels) // columns)
    figure = new_figure(columns * width, 2.4 * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, panel in zip(grid.flat, panels):
        places = range(len(panel.names))
        colors = [COLORS[value < 0] for value in panel.values]
        axes.bar(places, panel.values, color=colors)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xticks(places, panel.names, rotation=90, fontsize=7, parse_math=False)
        axes.set_title(panel.title, fontsize=9, parse_math=False)
        axes.set_ylabel(panel.ylabel, fontsize=7, parse_math=False)
        axes.grid(axis="y", alpha=0.3)
    figure.savefig(path)
