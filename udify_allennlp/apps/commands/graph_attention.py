"""`allennlp ud-inspect graph MODEL FILE --out FOLDER`: a model's attention to its graph."""

import argparse
import sys
from itertools import islice
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.analysis.attention.graph_mass import GraphMass, graph_mass
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import names_of, new_folder, write_table
from udify_allennlp.apps.analysis.output.parsed_paths import check_some
from udify_allennlp.apps.commands.command import Action
from udify_allennlp.apps.commands.options import MODEL, add_out
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import expand_paths

MEAN = "mean"


class GraphAttentionShares(Action):
    """
    Measure the share of a model's attention on the arcs of its graph, by layer and head, compared
    with the share under uniform attention (Mohammadshahi 2023, section 4.11). MODEL must attend to
    graphs: RNGTr, SentTr+G2GTr, or a role labeller with syntax; several are shown side by side.

      allennlp ud-inspect graph out/rngtr/model.tar.gz dev.conllu --out attention

    Shares are means over the wordpieces that have a relation to another wordpiece, in every pass
    over the sentences that has a graph. FOLDER will hold graph_attention.tsv and
    graph_attention.png. Layers and heads are numbered from 1; the head `mean` is the mean of all
    heads.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", nargs="+", metavar="MODEL", help=MODEL)
        parser.add_argument("file", metavar="FILE", help="sentences, as for `allennlp predict`")
        parser.add_argument(
            "--sentences",
            type=int,
            default=200,
            help="number of sentences, from the beginning of FILE; 0: all",
        )
        add_out(parser, "FOLDER")

    def run(self, args: argparse.Namespace) -> None:
        _shares(args)


def _shares(args: argparse.Namespace) -> None:
    if args.sentences < 0:
        raise ConfigurationError(
            f"--sentences is {args.sentences}. Use a number of at least 1, or 0 for all."
        )
    can_draw = figures.available()
    names = names_of(args.model)
    expand_paths(args.file)  # a name that is no file's makes no folder
    folder = new_folder(args.out, "--out")
    masses: dict[str, GraphMass] = {}
    with Tqdm.tqdm(list(zip(names, args.model)), unit=" models") as models:
        for name, path in models:
            predictor = load_predictor(path)
            sentences = list(islice(predictor.reader.sentences(args.file), args.sentences or None))
            check_some(sentences, args.file)
            masses[name] = graph_mass(predictor, sentences, path)
    rows: list[list[Any]] = [["model", "layer", "head", "mass", "chance"]]
    for name, (mass, chance, _) in masses.items():
        for layer, heads in enumerate(mass.tolist(), start=1):
            rows.append([name, layer, MEAN, sum(heads) / len(heads), chance])
            rows += [[name, layer, head, share, chance] for head, share in enumerate(heads, 1)]
    write_table(folder / "graph_attention.tsv", rows)
    means = [row for number, row in enumerate(rows) if not number or row[2] == MEAN]
    sys.stdout.write("".join("\t".join(map(_cell, row)) + "\n" for row in means))
    if can_draw:
        panels = [_panel(name, *mass[:2]) for name, mass in masses.items()]
        figures.draw_lines(folder / "graph_attention.png", [panels])


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _panel(name: str, mass: Any, chance: float) -> figures.LinePanel:
    def by_layer(values: list[float]) -> dict[int, float]:
        return dict(enumerate(values, start=1))

    lines = {
        "highest head": by_layer(mass.amax(1).tolist()),
        "mean of heads": by_layer(mass.mean(1).tolist()),
        "chance": by_layer([chance] * len(mass)),
    }
    return figures.LinePanel(name, "attention on arcs of the graph", lines)
