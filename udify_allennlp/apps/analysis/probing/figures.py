"""Figures of the results of structural probes (thesis, figures 4.3 and 4.4)."""

from itertools import cycle
from pathlib import Path
from typing import Any

from udify_allennlp.apps.analysis.output import figures

_FIRST_SCORE = {"distance": "uuas", "depth": "root_accuracy"}


def draw_probes(folder: Path, results: list[dict[str, Any]]) -> None:
    """
    Draws `trees.png`, from the layer of each model with the lowest development loss, and
    `layers.png` if there are several layers.
    """
    best: dict[str, dict[str, Any]] = {}
    for result in results:
        name = result["model"]
        if result["probe"] == "distance" and (
            name not in best or result["dev_loss"] < best[name]["dev_loss"]
        ):
            best[name] = result
    panels = [
        figures.TreePanel(
            f"{name}, layer {result['layer']}",
            tree["forms"],
            set(map(tuple, tree["gold"])),
            set(map(tuple, tree["predicted"])),
            color,
        )
        # The trees of one sentence stand below each other.
        for trees in zip(*(result["trees"] for result in best.values()))
        for (name, result), tree, color in zip(best.items(), trees, cycle(figures.COLORS))
    ]
    if panels:
        figures.draw_trees(folder / "trees.png", panels)
    if len({result["layer"] for result in results}) > 1:
        kinds = dict.fromkeys(result["probe"] for result in results)
        scores = ({kind: _FIRST_SCORE[kind] for kind in kinds}, dict.fromkeys(kinds, "spearman"))
        figures.draw_lines(folder / "layers.png", [_curves(results, row) for row in scores])


def _curves(results: list[dict[str, Any]], scores: dict[str, str]) -> list[figures.LinePanel]:
    """Returns one panel per kind of probe, with the score of that kind, and one curve per model."""
    panels = []
    for kind, score in scores.items():
        curves: dict[str, dict[int, float]] = {}
        for result in results:
            if result["probe"] == kind and result[score] is not None:
                curves.setdefault(result["model"], {})[result["layer"]] = result[score]
        panels.append(figures.LinePanel(kind, score.replace("_", " "), curves))
    return panels
