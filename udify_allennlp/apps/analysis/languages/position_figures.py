"""Figures of the positions of languages."""

from pathlib import Path
from typing import Dict, Sequence

import numpy

from udify_allennlp.apps.analysis.output.figures import new_figure


def draw_similarity_maps(path: Path, maps: Dict[str, numpy.ndarray], first: int) -> None:
    """
    Of each language the cosines between its positions, `(m, m)`, the first of which stands at
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


def draw_shifts(path: Path, shifts: Dict[str, Dict[str, Sequence[float]]], first: int) -> None:
    """
    Under each title and for each language the shift of each position, the first of which stands at
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
