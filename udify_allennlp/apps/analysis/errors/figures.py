"""
Figures of errors: by bin, with a curve for each parse in front of the number of words in each bin;
by kind of arc, with bars of the difference between parsers.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from udify_allennlp.apps.analysis.output.figures import COLORS, new_figure, plain

_COLUMNS = 2


class BinPanel(NamedTuple):
    """One view: its bins in order, the number of gold arcs in each, and F1 by parse and bin."""

    title: str
    bins: Sequence[str]
    gold: Sequence[int]
    lines: dict[str, Sequence[float]]


def draw_bins(path: Path, panels: list[BinPanel]) -> None:
    """Draws the panels in two columns; each bin has one grey bar behind the curves."""
    rows = -(-len(panels) // _COLUMNS)
    figure = new_figure(7 * _COLUMNS, 3.6 * rows)
    grid = figure.subplots(rows, _COLUMNS, squeeze=False).flat
    for panel, axes in zip(panels, grid):
        places = range(len(panel.bins))
        counts = axes.twinx()
        counts.bar(places, panel.gold, color="0.9", zorder=0)
        counts.set_ylabel("gold words", fontsize=8, color="0.5")
        counts.tick_params(labelsize=7, colors="0.5")
        axes.set_zorder(counts.get_zorder() + 1)
        axes.patch.set_visible(False)
        for name, values in panel.lines.items():
            axes.plot(places, values, marker="o", markersize=4, label=plain(name))
        axes.set_xticks(places, panel.bins, rotation=90, fontsize=8, parse_math=False)
        axes.set_title(panel.title, fontsize=10, parse_math=False)
        axes.set_ylabel("F1")
        axes.set_ylim(0, 102)
        axes.legend(fontsize=8)
    for axes in grid:
        axes.axis("off")
    figure.savefig(path)


class BarPanel(NamedTuple):
    """A bar for each name, in order."""

    title: str
    ylabel: str
    names: Sequence[str]
    values: Sequence[float]


def draw_bars(path: Path, panels: list[BarPanel]) -> None:
    """
    Draws panels side by side as they fit; bars below zero are blue (Ahmad et al. 2019, Figure 3).
    """
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
