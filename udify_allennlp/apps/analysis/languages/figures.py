"""
Figures of languages: distances between treebanks, as a tree with a heat map and as named points,
and the positions of languages, as maps of similarity and as curves.
"""

import math
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from udify_allennlp.apps.analysis.languages.label_places import label_places
from udify_allennlp.apps.analysis.output.figures import new_figure

_PLAIN, _MARKED = "black", "tab:red"
_ROW = 0.15  # inches of a row of the heat map


class ClusterPanel(NamedTuple):
    """Distances `(n, n)` between named items and their tree, as from `distances.cluster`."""

    title: str
    names: Sequence[str]
    marked: Set[str]
    """Names that are printed in red."""
    distances: numpy.ndarray
    tree: numpy.ndarray
    kinds: tuple[str, ...] = ()
    """Labels of the legend, as for a `PointPanel`."""


class PointPanel(NamedTuple):
    """Named points in a plane; if the axes have no names, only distances are meaningful."""

    title: str
    points: dict[str, Sequence[float]]
    marked: Set[str] = frozenset()
    """Names that are printed in red, with hollow points."""
    xlabel: str = ""
    ylabel: str = ""
    kinds: tuple[str, ...] = ()
    """Legend for unmarked and for marked points; none for no legend."""


def draw_clusters(path: Path, panels: list[ClusterPanel]) -> None:
    """
    Draws each tree to the left of its heat map, both in the order of the tree; darker is nearer.
    """
    from scipy.cluster.hierarchy import dendrogram

    side = max(3.0, _ROW * max(len(panel.names) for panel in panels))
    figure = new_figure(len(panels) * (1.4 * side + 1), side + 1.5)
    grid = figure.subplots(1, 2 * len(panels), squeeze=False, width_ratios=[1, 3] * len(panels))
    for (left, right), panel in zip(grid.reshape(-1, 2), panels):
        drawn = dendrogram(panel.tree, orientation="left", no_plot=True)
        order, end = drawn["leaves"], 10 * len(panel.names)  # scipy's leaves are 10 apart
        for across, along in zip(drawn["dcoord"], drawn["icoord"]):
            left.plot(across, along, color="black", linewidth=0.8)
        left.set_xlim(left.get_xlim()[1], 0)
        left.set_ylim(end, 0)
        left.set_yticks([])
        left.set_xlabel("distance", fontsize=8)
        left.tick_params(labelsize=7)
        left.spines[["top", "left", "right"]].set_visible(False)
        shown = panel.distances[numpy.ix_(order, order)]
        image = right.imshow(shown, cmap="Blues_r", aspect="auto", extent=(0, end, end, 0))
        figure.colorbar(image, ax=right, label="distance", location="top", shrink=0.4, aspect=40)
        names = [panel.names[leaf] for leaf in order]
        middles = range(5, end, 10)
        right.set_yticks(middles, names, fontsize=7, parse_math=False)
        right.set_xticks(middles, names, fontsize=7, rotation=90, parse_math=False)
        right.yaxis.tick_right()
        for name, *labels in zip(names, right.get_xticklabels(), right.get_yticklabels()):
            for label in labels:
                label.set_color(_MARKED if name in panel.marked else _PLAIN)
        left.set_title(panel.title, fontsize=10, loc="left", parse_math=False)
        for kind, color, height in zip(panel.kinds, (_PLAIN, _MARKED), (0.06, 0.03)):
            left.text(0, -height - 0.06, kind, color=color, fontsize=8, transform=left.transAxes)
    figure.savefig(path)


def draw_points(path: Path, panels: list[PointPanel], side: float = 8) -> None:
    """Draws the panels side by side, each `side` inches wide and high."""
    figure = new_figure(side * len(panels), side)
    grid = list(figure.subplots(1, len(panels), squeeze=False).flat)
    texts = [_draw_panel(axes, panel) for axes, panel in zip(grid, panels)]
    figure.draw_without_rendering()  # only then it is known where points lie
    for axes, panel, names in zip(grid, panels, texts):
        _place(axes, list(panel.points.values()), names)
    figure.savefig(path)


def _draw_panel(axes: Any, panel: PointPanel) -> list[Any]:
    """Draws a panel, and returns its names, which stand on their points."""
    for color, face, of_marked in ((_PLAIN, _PLAIN, False), (_MARKED, "none", True)):
        chosen = [
            point for name, point in panel.points.items() if (name in panel.marked) == of_marked
        ]
        if chosen:
            xs, ys = zip(*chosen)
            label = panel.kinds[of_marked] if panel.kinds else None
            axes.scatter(xs, ys, s=14, edgecolors=color, facecolors=face, label=label)
    axes.set_title(panel.title, fontsize=10, parse_math=False)
    axes.margins(0.12)  # room for names
    axes.set_xlabel(panel.xlabel)
    axes.set_ylabel(panel.ylabel)
    if not panel.xlabel:
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xticks([])
        axes.set_yticks([])
    if panel.kinds and panel.points:
        axes.legend(fontsize=8, loc="best")
    names = []
    for name, point in panel.points.items():
        color = _MARKED if name in panel.marked else _PLAIN
        names.append(
            axes.annotate(
                name,
                point,
                (0, 0),
                textcoords="offset pixels",
                fontsize=7,
                color=color,
                parse_math=False,
                in_layout=False,
                arrowprops={"arrowstyle": "-", "color": "0.6", "lw": 0.5, "shrinkA": 0},
            )
        )
    return names


def _place(axes: Any, points: Sequence[Sequence[float]], names: Sequence[Any]) -> None:
    """Moves names so that none lies on another; a line leads from each that is not near."""
    if not names:
        return
    spots = axes.transData.transform(points)
    sizes = []
    for name in names:
        box = name.get_window_extent()
        sizes.append((box.width, box.height))
    frame = axes.get_window_extent()
    area = (frame.x0, frame.y0, frame.x1, frame.y1)
    gap = 4 * axes.figure.dpi / 72
    for name, spot, box in zip(names, spots, label_places(spots.tolist(), sizes, area, gap)):
        name.set_position((box[0] - spot[0], box[1] - spot[1]))
        if _distance(spot, box) < 2 * gap:
            name.arrow_patch.set_visible(False)


def _distance(spot: Sequence[float], box: Sequence[float]) -> float:
    sides = [max(low - x, 0.0, x - high) for x, low, high in zip(spot, box[:2], box[2:])]
    return math.hypot(*sides)


def draw_similarity_maps(path: Path, maps: dict[str, numpy.ndarray], first: int) -> None:
    """
    Draws for each language the cosines between its positions, `(m, m)`, starting at position
    `first`; blue is -1, white 0, red 1 (Ji et al. 2023, Figure 3).
    """
    columns = min(len(maps), 4)
    rows = -(-len(maps) // columns)
    figure = new_figure(2.8 * columns + 0.8, 2.8 * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(maps) :]:
        axes.set_axis_off()
    for axes, (lang, values) in zip(grid.flat, maps.items()):
        end = first + len(values) - 0.5
        drawn = axes.imshow(
            values, cmap="RdBu_r", vmin=-1, vmax=1, extent=(first - 0.5, end, end, first - 0.5)
        )
        axes.set_title(lang, fontsize=9, parse_math=False)
        axes.tick_params(labelsize=7)
    figure.colorbar(drawn, ax=grid, shrink=0.8, label="cosine")
    figure.savefig(path)


def draw_shifts(path: Path, shifts: dict[str, dict[str, Sequence[float]]], first: int) -> None:
    """
    Draws under each title the shift of each position for each language, starting at position
    `first` (Ji et al. 2023, Figure 4).
    """
    figure = new_figure(7, 2.6 * len(shifts))
    for axes, (title, lines) in zip(
        figure.subplots(len(shifts), 1, squeeze=False).flat, shifts.items()
    ):
        for lang, values in lines.items():
            axes.plot(range(first, first + len(values)), values, linewidth=1, label=f" {lang}")
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_ylim(-1.05, 1.05)
        axes.set_ylabel(f"shift, {title}")
        axes.grid(alpha=0.3)
        axes.legend(
            fontsize=7,
            ncols=max(1, len(lines) // 8 + 1),
            loc="center left",
            bbox_to_anchor=(1, 0.5),
        )
    axes.set_xlabel("position")
    figure.savefig(path)
