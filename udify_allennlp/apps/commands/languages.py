"""`allennlp ud-languages MODEL --test FILES --out FOLDER`: distances between treebanks."""

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device

from udify_allennlp.apps.analysis.encoders import PlainEncoder, load_encoder
from udify_allennlp.apps.analysis.languages.distances import (
    Correlation,
    centred_cosine_distances,
    cluster,
    plane,
)
from udify_allennlp.apps.analysis.languages.figures import (
    ClusterPanel,
    PointPanel,
    draw_clusters,
    draw_points,
)
from udify_allennlp.apps.analysis.languages.neighbours import COLUMNS, Neighbours
from udify_allennlp.apps.analysis.languages.treebank_vectors import (
    layer_weights,
    mean_vectors,
    sample,
)
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import names_of, new_folder, write_json, write_table
from udify_allennlp.apps.analysis.output.score_files import Scores, read_scores
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import (
    MODEL_OR_ENCODER,
    add_cuda_device,
    add_files,
    add_out,
)
from udify_allennlp.text.conllu import expand_paths, treebank_name
from udify_allennlp.text.named_files import files_of


@Subcommand.register("ud-languages")
class Languages(Command):
    """
    Measure the distances between treebanks in the vectors of an encoder, in particular between the
    training treebanks and the zero-shot ones (thesis, table 4.4). MODEL is a trained model (archive
    or run folder) or any Hugging Face encoder (folder or hub name); several are compared side by
    side, such as an encoder before and after fine-tuning:

      allennlp ud-languages bert-base-multilingual-cased out/all/model.tar.gz \\
        --test 'ud/*/*-ud-test.conllu' --scores scores.json --out languages

    A treebank is represented by the mean of its word vectors. These are the inputs of the
    dependency decoder of a trained model (its layer attention, without spelling features and
    without the graphs, UPOS and ROOT piece of graph-to-graph models), or the mean over the layers
    of any other encoder. The distance between two treebanks is 1 - cos, from 0 to 2, after
    subtraction of the mean over all treebanks, so it depends on the set of treebanks. A small
    distance does not imply related languages: treebanks that an encoder represents poorly, such as
    those in scripts that it has not seen, are also close to each other.

    FOLDER will hold
      nearest.tsv        for each treebank, whether it was trained on, the nearest others, the
                         nearest training treebank and, with --scores, LAS, UAS and UPOS
      distances.tsv      each pair of treebanks
      correlation.tsv    with --scores: Spearman's correlation between LAS and the distance to the
                         nearest training treebank, over the zero-shot treebanks, and its 95%
                         confidence interval, which for a dozen treebanks is wide
      languages.json     all of this, the layers' weights, the cluster tree, the map
      clusters.png       average linkage, and the distances as a heat map
      map.png            the plane that best preserves the distances (multidimensional scaling)
      scores.png         with --scores: LAS by distance

    The training treebanks are read from the model card (`allennlp ud-card MODEL`) or, without one,
    from the train_data_path of the model's config; they apply to the encoders compared with it,
    too. Zero-shot treebanks are red in the figures.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("model", nargs="+", metavar="MODEL", help=MODEL_OR_ENCODER)
        add_files(parser, "--test", "CoNLL-U; trees are ignored")
        add_out(parser, "FOLDER")
        scores = "JSON of `allennlp evaluate --output-file`, or scores.tsv of `ud-experiment`"
        add("--scores", metavar="FILE", help=scores)
        trained = "training treebanks, such as en_ewt,de_gsd (default = those in the model cards)"
        add("--trained", metavar="NAMES", help=trained)
        add(
            "--sentences",
            type=int,
            default=100,
            help="maximum number of sentences per treebank (default = 100)",
        )
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--layer", type=int, help="use the vectors of one layer; 0: embedding table"
        )
        task = "use the layer attention of another task (default = deps)"
        which.add_argument("--task", default="deps", help=task)
        add("--seed", type=int, default=0, help="random seed for the choice of sentences")
        add_cuda_device(parser)

    def run(self, args: argparse.Namespace) -> None:
        _languages(args)


def _languages(args: argparse.Namespace) -> None:
    figures.need_scipy()
    if args.sentences < 1:
        raise ConfigurationError(f"--sentences is {args.sentences}. It must be at least 1.")
    check_for_gpu(args.cuda_device)
    can_draw = figures.available()
    names = names_of(args.model)
    files = files_of(args.test)
    treebanks = sorted({treebank_name(path) for path in files})
    if len(treebanks) < 3:
        raise ConfigurationError(
            f"--test {' '.join(args.test)}: has {len(treebanks)} treebanks "
            f"({', '.join(treebanks)}). Name at least three: distances are measured from the mean "
            "of all."
        )
    scores = read_scores(args.scores) if args.scores else {}
    named = None if args.trained is None else _named(args.trained, treebanks)
    folder = new_folder(args.out, "--out")
    encoders = [load_encoder(path, device=int_to_device(args.cuda_device)) for path in args.model]
    weights = [layer_weights(encoder, args.layer, args.task) for encoder in encoders]
    trained = _trained(encoders) if named is None else [named] * len(encoders)
    words = sample(files, args.sentences, args.seed)
    neighbours_of = {
        name: Neighbours(
            list(words),
            centred_cosine_distances(mean_vectors(encoder, words, weight)),
            training_set,
        )
        for name, encoder, weight, training_set in zip(names, encoders, weights, trained)
    }
    record = {"models": args.model, "files": files, "sentences": args.sentences, "seed": args.seed}
    record["results"] = [
        _record(name, neighbours, weight.tolist(), scores)
        for (name, neighbours), weight in zip(neighbours_of.items(), weights)
    ]
    write_json(folder / "languages.json", record)
    _write_tables(folder, neighbours_of, scores)
    if can_draw:
        _draw(folder, neighbours_of, scores)


def _record(
    name: str, neighbours: Neighbours, weights: list[float], scores: Scores
) -> dict[str, Any]:
    points, share = plane(neighbours.distances)
    return {
        "model": name,
        "layer_weights": weights,
        "treebanks": neighbours.names,
        "trained": neighbours.trained,
        "distances": neighbours.distances.tolist(),
        "clusters": cluster(neighbours.distances).tolist(),
        "map": points.tolist(),
        "map_share_of_variance": share,
        "nearest": neighbours.rows(scores),
        "correlation": neighbours.correlation(scores)._asdict() if scores else None,
    }


def _write_tables(folder: Path, neighbours_of: dict[str, Neighbours], scores: Scores) -> None:
    rows: list[list[Any]] = [["model", *COLUMNS]]
    pairs: list[list[Any]] = [["model", "treebank", "other", "distance"]]
    correlations: list[list[Any]] = [["model", *Correlation._fields]]
    for name, neighbours in neighbours_of.items():
        rows += [[name, *row.values()] for row in neighbours.rows(scores)]
        for pair in combinations(neighbours.names, 2):
            pairs.append([name, *pair, neighbours.distance(*pair)])
        correlations.append([name, *neighbours.correlation(scores)])
    sys.stdout.write(write_table(folder / "nearest.tsv", rows))
    write_table(folder / "distances.tsv", pairs)
    if scores:
        write_table(folder / "correlation.tsv", correlations)


def _draw(folder: Path, neighbours_of: dict[str, Neighbours], scores: Scores) -> None:
    clusters, maps, curves = [], [], []
    for name, neighbours in neighbours_of.items():
        names, marked = neighbours.names, set(neighbours.zero_shot)
        kinds = ("trained on", "zero-shot") if marked else ()
        distances = neighbours.distances
        tree = cluster(distances)
        clusters.append(ClusterPanel(name, names, marked, distances, tree, kinds))
        points, share = plane(distances)
        title = f"{name}, {share:.0%} of the variance"
        maps.append(PointPanel(title, dict(zip(names, points.tolist())), marked, kinds=kinds))
        scored = neighbours.points(scores)
        if scored:
            label = "distance to the nearest training treebank"
            curves.append(PointPanel(f"{name}, zero-shot", scored, xlabel=label, ylabel="LAS"))
    draw_clusters(folder / "clusters.png", clusters)
    draw_points(folder / "map.png", maps)
    if curves:
        draw_points(folder / "scores.png", curves, side=5)


def _named(text: str, treebanks: Sequence[str]) -> set[str]:
    names = {name for name in text.split(",") if name}
    for name in sorted(names.difference(treebanks)):
        raise ConfigurationError(
            f"--trained has {name!r}, which is not among the treebanks: {', '.join(treebanks)}. "
            "Correct the name."
        )
    return names


def _trained(encoders: list[PlainEncoder]) -> list[set[str]]:
    """
    Returns the training treebanks of each encoder; for an encoder that names none, those of the
    first trained model.
    """
    treebanks = [_trained_on(encoder) for encoder in encoders]
    first = next((names for names in treebanks if names), set())
    return [names or first for names in treebanks]


def _trained_on(encoder: PlainEncoder) -> set[str]:
    names = set(encoder.treebanks)
    for file in () if names else encoder.train_files:
        try:
            names |= {treebank_name(path) for path in expand_paths(file)}
        except FileNotFoundError:
            if any(char in file for char in "*?["):
                raise ConfigurationError(
                    f"{encoder.name} was trained on {file!r}, which does not exist here. Name its "
                    "treebanks with --trained, such as --trained en_ewt,de_gsd."
                ) from None
            names.add(treebank_name(file))
    return names
