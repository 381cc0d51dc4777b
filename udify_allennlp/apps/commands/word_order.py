"""`allennlp ud-word-order`: distances between languages by word order."""

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy
from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.languages.comparisons import comparisons
from udify_allennlp.apps.analysis.languages.distances import cluster, plane
from udify_allennlp.apps.analysis.languages.figures import (
    ClusterPanel,
    PointPanel,
    draw_clusters,
    draw_points,
)
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import new_folder, write_table
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import add_files, add_out
from udify_allennlp.apps.studies.treebanks import SEEN
from udify_allennlp.order_transfer import word_order
from udify_allennlp.scoring.ignore_punct import METRICS
from udify_allennlp.text.conllu import (
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.named_files import files_of

_BOTH = (METRICS, ("UAS", "LAS"))
"""Pairs of column names in tables of scores; the first pair that exists is used."""


@Subcommand.register("ud-word-order")
class WordOrder(Command):
    """
    Compare word order across languages in treebanks (Ahmad et al. 2019, section 2). For each type
    of arc, which is the UPOS of modifier and head and the relation, the command measures how often
    the modifier comes first (0.5 if a language lacks the type). The distance between two languages
    is the mean absolute difference over types.

      allennlp ud-word-order 'ud/*/*-ud-train.conllu' --out order
      allennlp ud-word-order 'ud/*/*-ud-test.conllu' --out order --scores out/transfer/scores.tsv

    Files of one language, according to their names, are combined. --out will hold

      order.tsv         the share of arcs with the modifier first, types by languages
      distances.tsv     between all pairs of languages
      dependencies.tsv  distances between modifiers and heads, in percent of arcs (Table 4)
      clusters.png      the distances and their tree (Figure 1: single linkage), with matplotlib
      map.png           the plane that best preserves the distances
      correlation.tsv   with --scores, a table of `ud-experiment transfer`: distance from --source
                        against loss, the mean of UAS and LAS for --source minus that for the
                        language, with 95% intervals. --source is one of the points, as in the paper
      differences.tsv   with --compare A,B:C,D as well: the lead of the better of the systems A and
                        B over the better of C and D in each language, by its distance (Figure 2:
                        systems of one encoder, of one decoder); differences.png. Its correlation
                        with the distance is in correlation.tsv

      allennlp ud-word-order 'ud/*/*-ud-test.conllu' --out order --scores out/transfer/scores.tsv \\
        --compare SelfAtt-Graph,SelfAtt-Stack:RNN-Graph,RNN-Stack \\
        --compare SelfAtt-Graph,RNN-Graph:SelfAtt-Stack,RNN-Stack

    Types are the 52 of Table 6 or, with --types frequent, those that have more than --share of the
    arcs and occur in at least --in-languages languages (appendix B).
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add_files(parser, "files", "CoNLL-U")
        add_out(parser, "FOLDER")
        add(
            "--types",
            choices=("table6", "frequent"),
            default="table6",
            help="the set of arc types to compare",
        )
        add(
            "--share",
            type=float,
            default=0.001,
            help="minimum share of arcs for a frequent type, as a mean over languages",
        )
        add(
            "--in-languages",
            type=int,
            default=20,
            help="minimum number of languages in which a frequent type occurs",
        )
        add(
            "--at-least",
            type=int,
            default=1,
            help="minimum number of arcs of a type in a language to count as occurring",
        )
        add("--source", default="en", help="the language to compare the others with")
        add("--scores", help="a scores.tsv of `ud-experiment transfer`")
        add(
            "--compare",
            action="append",
            default=[],
            metavar="A,B:C,D",
            help="two groups of systems in --scores; repeat the option for more comparisons",
        )

    def run(self, args: argparse.Namespace) -> None:
        _word_order(args)


def _word_order(args: argparse.Namespace) -> None:
    figures.need_scipy()
    files: dict[str, list[str]] = defaultdict(list)
    for path in files_of(args.files):
        files[treebank_language(treebank_name(path))].append(path)
    if args.source not in files or len(files) < 2:
        raise ConfigurationError(
            f"The files are in {', '.join(sorted(files))}. Name files of --source, {args.source}, "
            "and of another language."
        )
    scores = _read_scores(args.scores, args.source) if args.scores else {}
    if args.compare and not scores:
        raise ConfigurationError("--compare compares systems in --scores. Add --scores.")
    pairs = comparisons(args.compare, list(scores)) if scores else []
    counts, lengths = {}, {}
    for lang in sorted(files):
        sentences = [sentence for path in files[lang] for sentence in read_sentences(path)]
        counts[lang] = word_order.directions(sentences)
        lengths[lang] = word_order.dependency_distances(sentences)
    types = word_order.TABLE_6
    if args.types == "frequent":
        types = word_order.frequent_types(
            list(counts.values()), args.share, args.in_languages, args.at_least
        )
        if not types:
            raise ConfigurationError(
                f"No type of arc occurs in --in-languages {args.in_languages} of {len(files)} "
                f"languages, with a --share of {args.share}. Lower one of them."
            )
    folder = new_folder(args.out, "--out")
    langs = list(counts)
    vectors = [word_order.order_vector(counts[lang], types, args.at_least) for lang in langs]
    distances = word_order.distances(vectors)
    write_table(folder / "order.tsv", [["type", *langs], *_columns(types, vectors)])
    write_table(folder / "distances.tsv", [["", *langs], *_columns(langs, list(distances))])
    rows = [[lang, *lengths[lang].values()] for lang in langs]
    write_table(folder / "dependencies.tsv", [["language", *word_order.BUCKETS], *rows])
    near = sorted(zip(distances[langs.index(args.source)].tolist(), langs))
    head = ["language", f"distance from {args.source}"]
    sys.stdout.write(_shown([head, *([lang, far] for far, lang in near)]))
    drawn = figures.available()
    if scores:
        far_of = {lang: far for far, lang in near}
        table = _correlations(scores, far_of, args.source)
        compared = {str(pair): pair.by_language(scores, far_of) for pair in pairs}
        for name, gains in compared.items():
            table += _correlation(name, [(far_of[lang], gains[lang]) for lang in gains])
        write_table(folder / "correlation.tsv", table)
        sys.stdout.write("\n" + _shown(table))
        if compared:
            sys.stdout.write("\n" + _differences(folder, compared, far_of, drawn))
    if drawn:
        panel = ClusterPanel("word order", langs, set(), distances, cluster(distances, "single"))
        draw_clusters(folder / "clusters.png", [panel])
        points, share = plane(distances**2 / 2)
        title = f"word order, {share:.0%} of the variance"
        draw_points(folder / "map.png", [PointPanel(title, dict(zip(langs, points.tolist())))])


def _differences(
    folder: Path,
    compared: Mapping[str, Mapping[str, float]],
    far: Mapping[str, float],
    drawn: bool,
) -> str:
    """Writes the gains by language for each pair of groups, and returns the table."""
    langs = [lang for lang in far if any(lang in gains for gains in compared.values())]
    head = ["language", "distance", *compared]
    rows = [[lang, far[lang], *(gains.get(lang) for gains in compared.values())] for lang in langs]
    write_table(folder / "differences.tsv", [head, *rows])
    if drawn and langs:
        panels = [
            PointPanel(
                name,
                {lang: (far[lang], value) for lang, value in gains.items()},
                xlabel="word order distance",
                ylabel="difference in (UAS + LAS) / 2",
            )
            for name, gains in compared.items()
        ]
        draw_points(folder / "differences.png", panels, side=5.5)
    return _shown([head, *rows])


def _columns(names: Any, columns: list[numpy.ndarray]) -> list[list[Any]]:
    return [[name, *row] for name, row in zip(map(str, names), numpy.stack(columns, 1).tolist())]


def _shown(rows: list[list[Any]]) -> str:
    lines = [[f"{c:.3f}" if isinstance(c, float) else str(c or "") for c in row] for row in rows]
    return "".join("\t".join(line) + "\n" for line in lines)


def _read_scores(path: str, source: str) -> dict[str, dict[str, float]]:
    """
    Returns the mean UAS and LAS by model and language, over the treebanks of a language. For the
    source language, only the training treebank of `ud-experiment transfer` counts.
    """
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        names = set(rows.fieldnames or ())
        pair = next((pair for pair in _BOTH if {"treebank", "model", *pair} <= names), None)
        if pair is None:
            raise ConfigurationError(
                f"{path} has no columns treebank, model, UAS and LAS. Name a scores.tsv of "
                "`ud-experiment transfer`."
            )
        for number, row in enumerate(rows, start=2):
            if row["treebank"].startswith("macro average") or row.get("resources") == SEEN:
                continue
            if not all(row[name] for name in pair):
                sys.stderr.write(
                    f"{path}:{number}: {row['model']} has no {' and '.join(pair)} for "
                    f"{row['treebank']}: skipped.\n"
                )
                continue
            try:
                score = mean(float(row[name]) for name in pair)
            except (TypeError, ValueError):
                raise ConfigurationError(f"{path}:{number}: a score is not a number.") from None
            scores[row["model"]][treebank_language(row["treebank"])].append(score)
    for model, of_lang in scores.items():
        if source not in of_lang:
            raise ConfigurationError(f"{path} has no score of {model} for --source {source}.")
    return {
        model: {lang: mean(all_) for lang, all_ in of_lang.items()}
        for model, of_lang in scores.items()
    }


def _correlations(
    scores: Mapping[str, Mapping[str, float]], far: Mapping[str, float], source: str
) -> list[list[Any]]:
    rows: list[list[Any]] = [["model", "languages", "coefficient", "value", "low", "high"]]
    for model, of_lang in scores.items():
        langs = [lang for lang in far if lang in of_lang]
        rows += _correlation(
            model, [(far[lang], of_lang[source] - of_lang[lang]) for lang in langs]
        )
    return rows


def _correlation(name: str, points: Sequence[tuple[float, float]]) -> list[list[Any]]:
    values = word_order.correlations(*map(list, zip(*points)))
    return [[name, len(points), kind, *value] for kind, value in values.items()]
