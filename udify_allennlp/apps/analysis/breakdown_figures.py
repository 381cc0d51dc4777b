"""Figures of differences between parsers by kinds of arcs."""

from pathlib import Path
from typing import List, NamedTuple, Sequence

from udify_allennlp.apps.analysis.figures import COLORS, new_figure


class BarPanel(NamedTuple):
    """A bar for each named thing, in their order."""

    title: str
    ylabel: str
    names: Sequence[str]
    values: Sequence[float]


def draw_bars(path: Path, panels: List[BarPanel]) -> None:
    """One panel below the other; bars below zero are blue (Ahmad et al. 2019, Figures 3 and 4)."""
    longest = max(len(panel.names) for panel in panels)
    figure = new_figure(max(4.0, 0.28 * longest + 1.5), 2.4 * len(panels))
    for axes, panel in zip(figure.subplots(len(panels), 1, squeeze=False).flat, panels):
        places = range(len(panel.names))
        colors = [COLORS[value < 0] for value in panel.values]
        axes.bar(places, panel.values, color=colors)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xticks(places, panel.names, rotation=90, fontsize=7, parse_math=False)
        axes.set_title(panel.title, fontsize=9, parse_math=False)
        axes.set_ylabel(panel.ylabel, fontsize=7, parse_math=False)
        axes.grid(axis="y", alpha=0.3)
    figure.savefig(path)
