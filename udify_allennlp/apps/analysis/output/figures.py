"""
Figures, as PNG files, with matplotlib (the extra `viz`). Text from files is drawn verbatim:
matplotlib would parse text between two `$` as a formula.
"""

import importlib.util
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.probing.gold_trees import Edge
from udify_allennlp.text.drawing.layout import width_of

logger = logging.getLogger(__name__)

COLORS = ("tab:red", "tab:blue", "tab:green", "tab:orange", "tab:purple", "tab:brown")
"""
Colours; the first two are those of the thesis, Figures 4.3 and 4.4: before and after fine-tuning.
"""
_WIDEST = 13  # inches of maps beside each other, 1,950 pixels


def need_scipy() -> None:
    """Raises `ConfigurationError` if the statistics cannot be computed."""
    if importlib.util.find_spec("scipy") is None:
        raise ConfigurationError(
            "This command needs scipy. Install it: pip install 'udify_allennlp[viz]'"
        )


def available() -> bool:
    """Returns whether figures can be drawn; if not, prints how to install matplotlib."""
    if importlib.util.find_spec("matplotlib") is not None:
        return True
    logger.warning(
        "No PNG files will be written, since matplotlib is missing: pip install "
        "'udify_allennlp[viz]', or pip install matplotlib."
    )
    return False


class LinePanel(NamedTuple):
    """Curves over the layers of an encoder."""

    title: str
    ylabel: str
    lines: dict[str, dict[int, float]]
    """A number for each layer, by name."""


class TreePanel(NamedTuple):
    """A sentence with its gold tree above and a predicted spanning tree below."""

    title: str
    forms: Sequence[str]
    gold: set[Edge]
    predicted: set[Edge]
    color: str


class MapPanel(NamedTuple):
    """A matrix of numbers between 0 and 1 whose rows and columns have the same labels."""

    title: str
    labels: Sequence[str]
    values: numpy.ndarray


def draw_lines(path: Path, rows: list[list[LinePanel]]) -> None:
    """Draws a grid of curves."""
    figure = new_figure(5.5 * len(rows[0]), 3.4 * len(rows))
    grid = figure.subplots(len(rows), len(rows[0]), squeeze=False, sharey="row")
    for axes, panel in zip(grid.flat, [panel for row in rows for panel in row]):
        for name, values in panel.lines.items():
            axes.plot(*zip(*values.items()), marker="o", markersize=4, label=plain(name))
        axes.set_title(panel.title, fontsize=10, parse_math=False)
        axes.set_xlabel("layer")
        axes.set_ylabel(panel.ylabel)
        axes.set_xticks(sorted(set().union(*panel.lines.values())))
        axes.grid(alpha=0.3)
        if panel.lines:
            axes.legend(fontsize=8)
    figure.savefig(path)


def draw_trees(path: Path, panels: list[TreePanel]) -> None:
    """Draws gold arcs in black; predicted arcs that are not gold are dashed."""
    from matplotlib.lines import Line2D

    places = [_places(panel.forms) for panel in panels]
    figure = new_figure(max(6.0, max(row[-1] for row in places) * 0.09), 2.6 * len(panels))
    for axes, panel, x in zip(figure.subplots(len(panels), 1, squeeze=False).flat, panels, places):
        for edges, color, side in ((panel.gold, "black", 1), (panel.predicted, panel.color, -1)):
            for first, last in sorted(edges):
                style = "-" if (first, last) in panel.gold else "--"
                angle = numpy.linspace(0, numpy.pi, 40)
                middle, half = (x[first] + x[last]) / 2, (x[last] - x[first]) / 2
                height = 0.6 + 0.5 * (last - first) ** 0.75
                axes.plot(
                    middle + half * numpy.cos(angle),
                    side * (0.45 + height * numpy.sin(angle)),
                    style,
                    color=color,
                    linewidth=1,
                )
        for place, form in zip(x, panel.forms):
            axes.text(place, 0, form, ha="center", va="center", fontsize=9, parse_math=False)
        axes.set_title(panel.title, loc="left", fontsize=9, color=panel.color, parse_math=False)
        axes.set_xlim(0, max(row[-1] for row in places) + 6)
        axes.axis("off")
    kinds = (
        ("black", "-", "gold, above"),
        ("0.4", "-", "predicted, below"),
        ("0.4", "--", "predicted, not in gold"),
    )
    lines = [Line2D([], [], color=color, ls=style, lw=1) for color, style, _ in kinds]
    names = [name for *_, name in kinds]
    figure.legend(lines, names, loc="outside lower left", ncols=3, fontsize=8, frameon=False)
    figure.savefig(path)


def draw_maps(path: Path, rows: list[list[MapPanel]]) -> None:
    """
    Draws a grid of matrices with one scale of colours, up to the largest number; darker is more.
    Matrices that would be too wide to read are stacked.
    """
    from matplotlib.colors import PowerNorm

    panels = [panel for row in rows for panel in row]
    # Inches: of a row, and of a letter of the labels.
    side = 1.0 + max(
        0.13 * len(panel.labels) + 0.08 * max(map(len, panel.labels)) for panel in panels
    )
    columns = len(rows[0]) if side * len(rows[0]) <= _WIDEST else 1
    figure = new_figure(side * columns + 0.6, side * (len(panels) // columns))
    grid = figure.subplots(len(panels) // columns, columns, squeeze=False)
    most = max(float(panel.values.max()) for panel in panels)
    # Roots: beside one large share, the small ones would all be white.
    colors = PowerNorm(0.5, vmin=0, vmax=most or 1.0)
    for axes, panel in zip(grid.flat, panels):
        image = axes.imshow(panel.values, cmap="Blues", norm=colors)
        ticks = range(len(panel.labels))
        axes.set_xticks(ticks, panel.labels, rotation=90, fontsize=7, parse_math=False)
        axes.set_yticks(ticks, panel.labels, fontsize=7, parse_math=False)
        axes.set_title(panel.title, fontsize=9, parse_math=False)
    # A bar for each row: in a long figure one would be out of sight.
    for line in grid:
        figure.colorbar(image, ax=list(line), label="share of attention", aspect=40, pad=0.02)
    figure.savefig(path, bbox_inches="tight")


def new_figure(width: float, height: float) -> Any:
    """Returns a figure of this size in inches."""
    # Not pyplot: it keeps figures, and looks for a screen.
    from matplotlib.figure import Figure

    # A side of 2^16 pixels is more than matplotlib takes.
    return Figure((min(width, 300), min(height, 300)), dpi=150, layout="constrained")


def plain(label: str) -> str:
    """
    Returns plain text for a legend, which has no parse_math and omits labels that begin with `_`.
    """
    return " " + label.replace("$", r"\$")


def _places(forms: Sequence[str]) -> numpy.ndarray:
    """Returns the middle of each word, in characters, with room between words."""
    widths = numpy.array([max(width_of(form, 1.0), 2) + 2 for form in forms])
    return numpy.cumsum(widths) - widths / 2
