"""Figures of distances between treebanks: a tree beside a heat map, and points with names."""

from pathlib import Path
from typing import AbstractSet, Dict, List, NamedTuple, Sequence

import numpy

from udify_allennlp.apps.analysis.figures import new_figure

_PLAIN, _MARKED = "black", "tab:red"
_ROW = 0.15  # inches of a row of the heat map


class ClusterPanel(NamedTuple):
    """Distances `(n, n)` between named things and their tree, as `distances.cluster` gives it."""

    title: str
    names: Sequence[str]
    marked: AbstractSet[str]
    """Names that are written in red."""
    distances: numpy.ndarray
    tree: numpy.ndarray


class PointPanel(NamedTuple):
    """Named points in a plane; where the axes have no names, only distances mean something."""

    title: str
    points: Dict[str, Sequence[float]]
    marked: AbstractSet[str] = frozenset()
    """Names that are written in red, with hollow points."""
    xlabel: str = ""
    ylabel: str = ""


def draw_clusters(path: Path, panels: List[ClusterPanel]) -> None:
    """Each tree to the left of its heat map, both in the order of the tree; darker is nearer."""
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
        right.imshow(shown, cmap="Blues_r", aspect="auto", extent=(0, end, end, 0))
        names = [panel.names[leaf] for leaf in order]
        middles = range(5, end, 10)
        right.set_yticks(middles, names, fontsize=7, parse_math=False)
        right.set_xticks(middles, names, fontsize=7, rotation=90, parse_math=False)
        right.yaxis.tick_right()
        for name, *labels in zip(names, right.get_xticklabels(), right.get_yticklabels()):
            for label in labels:
                label.set_color(_MARKED if name in panel.marked else _PLAIN)
        right.set_title(panel.title, fontsize=10, parse_math=False)
    figure.savefig(path)


def draw_points(path: Path, panels: List[PointPanel], side: float = 8) -> None:
    """The panels beside each other, each `side` inches wide and high."""
    figure = new_figure(side * len(panels), side)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False).flat, panels):
        for name, (x, y) in panel.points.items():
            color = _MARKED if name in panel.marked else _PLAIN
            face = "none" if name in panel.marked else color
            axes.scatter(x, y, s=14, edgecolors=color, facecolors=face)
            axes.annotate(
                name,
                (x, y),
                (3, 3),
                textcoords="offset points",
                fontsize=7,
                color=color,
                parse_math=False,
            )
        axes.set_title(panel.title, fontsize=10, parse_math=False)
        axes.margins(0.12)  # room for names
        axes.set_xlabel(panel.xlabel)
        axes.set_ylabel(panel.ylabel)
        if not panel.xlabel:
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_xticks([])
            axes.set_yticks([])
    figure.savefig(path)
