"""`allennlp ud-inspect layers MODEL --out FOLDER`: the layer attention of each task."""

import argparse
import logging
import sys
from typing import Any, NamedTuple, Optional

from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import names_of, new_folder, write_json, write_table
from udify_allennlp.apps.commands.command import Action
from udify_allennlp.apps.commands.options import MODEL, add_out
from udify_allennlp.models.extract_encoder import load_parser

logger = logging.getLogger(__name__)


class Mixture(NamedTuple):
    """The layer weights for one task of one model; a plain sum has no `alphas`."""

    weights: list[float]
    alphas: Optional[list[float]]


class LayerAttention(Action):
    """
    Show the learned layer attention of each task (thesis, equation 3.1 and figures 4.1 and 4.2),
    with these values for every task and layer (numbered from 1):

      alpha    the unnormalized weight, as plotted in the thesis; only differences matter
      weight   the factor of the layer: beta * softmax(alpha)

    Tasks that were not trained, because no training file has their labels, are left out: their
    weights are still the initial ones. A model whose layer_attention is sum or last has no alpha;
    its weights are 1 for each layer, or for the last one.

    FOLDER will hold layers.tsv, layers.json and layers.png. Several models are shown side by side:

      allennlp ud-inspect layers out/ewt/model.tar.gz out/all/model.tar.gz --out layers
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", nargs="+", metavar="MODEL", help=MODEL)
        add_out(parser, "FOLDER")

    def run(self, args: argparse.Namespace) -> None:
        _layers(args)


def _layers(args: argparse.Namespace) -> None:
    can_draw = figures.available()
    folder = new_folder(args.out, "--out")
    names = names_of(args.model)
    with Tqdm.tqdm(args.model, unit=" models") as paths:
        mixtures = {name: _mixtures(path) for path, name in zip(paths, names)}
    write_json(
        folder / "layers.json",
        {
            name: {task: mixture._asdict() for task, mixture in tasks.items()}
            for name, tasks in mixtures.items()
        },
    )
    rows: list[list[Any]] = [["model", "task", "layer", "alpha", "weight"]]
    for name, tasks in mixtures.items():
        for task, (weights, alphas) in tasks.items():
            for layer, weight in enumerate(weights):
                rows.append([name, task, layer + 1, alphas and alphas[layer], weight])
    sys.stdout.write(write_table(folder / "layers.tsv", rows))
    if can_draw:
        panels = [_panels(name, tasks) for name, tasks in mixtures.items()]
        figures.draw_lines(folder / "layers.png", [list(row) for row in zip(*panels)])


def _mixtures(path: str) -> dict[str, Mixture]:
    """Returns the mixture of each task of a model; a shared mixture has the key `all tasks`."""
    model = load_parser(path).model
    alphas = model.layer_alphas()
    mixtures = {
        task: Mixture(weights, alphas[task]) for task, weights in model.layer_weights().items()
    }
    untrained = [task for task, alpha in alphas.items() if alpha is not None and not any(alpha)]
    if untrained:
        logger.warning("%s was not trained for %s: skipped.", path, ", ".join(untrained))
    trained = {task: mixture for task, mixture in mixtures.items() if task not in untrained}
    if model.shares_layers and trained:
        return {"all tasks": next(iter(trained.values()))}
    return trained


def _panels(name: str, tasks: dict[str, Mixture]) -> list[figures.LinePanel]:
    alphas = {task: _by_layer(m.alphas) for task, m in tasks.items() if m.alphas is not None}
    weights = {task: _by_layer(m.weights) for task, m in tasks.items()}
    return [
        figures.LinePanel(name, "alpha (unnormalized)", alphas),
        figures.LinePanel(name, "weight", weights),
    ]


def _by_layer(values: list[float]) -> dict[int, float]:
    return dict(enumerate(values, start=1))
