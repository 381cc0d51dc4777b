"""
`allennlp ud-score GOLD PARSED [PARSED ...]`: the scores of CoNLL 2018, and comparisons of parses.
"""

import argparse
from collections.abc import Sequence
from typing import Any, Optional

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.errors.arc_scores import score_arcs
from udify_allennlp.apps.analysis.errors.direction_scores import TABLE_10, score_directions
from udify_allennlp.apps.analysis.errors.parse_scores import ALL, score_parses
from udify_allennlp.apps.analysis.output.parsed_paths import gold_paths, named_parses
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import SEVERAL, add_old, add_out
from udify_allennlp.scoring.bootstrap import SAMPLES


@Subcommand.register("ud-score")
class ScoreFiles(Command):
    """
    Score parsed CoNLL-U files by the measures of the CoNLL 2018 shared task. The words may differ
    from the gold words, as in parses of raw text: they are aligned by their characters.

      allennlp ud-score gold.conllu parsed.conllu
      allennlp ud-score gold.conllu a.conllu b.conllu c.conllu --metrics UPOS,LAS,MLAS
      allennlp ud-score 'ud/*/*-ud-test.conllu' out/a out/b --out scores.tsv
      allennlp ud-score ud/*/*-ud-test.conllu --parsed Before=out/a After=out/b

    Each further parse is compared with the first: the difference in points, its 95% interval, and
    p, the probability of a difference as large by chance (paired bootstrap over sentences, which
    accounts for the choice of sentences but not for variation between training runs). With several
    gold files, a parse is a folder or a quoted glob with one file for each, named like the gold
    file or after its treebank, and differences are differences in the macro average. Parses are
    named after their files, or by NAME=PATH.

    The score of a column that is empty in one of the two files is shown as `-` and excluded from
    averages; without gold lemmas, for example, it would be 100. The same holds for a column copied
    from gold, such as XPOS if the model does not predict it: all words of the parse, in all its
    files, have the gold values. --official prints all scores of the shared task's script. --out is
    a file for a TSV table of all scores, in full precision.

    --by arcs shows where parses are correct: labelled F1 of arcs by length, by distance to the
    root, by sentence length (where it is LAS), by relation without and with subtype, and for
    projective and non-projective arcs. For several parses, in the given order, it also shows how
    much of the error of the previous parse each removes: the relative error reduction of refinement
    by iteration (RER, Mohammadshahi 2023, Equation 3.8), with the difference in points, its 95%
    interval and p by the same bootstrap.

      allennlp ud-score --by arcs gold.conllu udify.conllu pass1.conllu pass2.conllu pass3.conllu
      allennlp ud-score --by arcs 'ud/*/*-ud-dev.conllu' out/before out/after --out errors

    Precision counts the parse's arcs in a bin, recall the gold arcs. An arc is correct if LAS
    counts it as correct: its subtype may differ. The words must be the gold words, and the heads
    must form trees. All gold files are treated as one text. --out is a folder for passes.tsv and
    errors.tsv, in full precision, and errors.png.

    --by direction shows which arcs parsers get right (Ahmad et al. 2019, section 4.3, Table 10,
    Figures 3 and 4): by type, which is the UPOS of modifier and head and the relation, by whether
    the modifier or the head comes first, and by the distance between them.

      allennlp ud-score --by direction 'ud/*/*-ud-test.conllu' --out cells \\
        SelfAtt-Graph=out/transfer/SelfAtt-Graph RNN-Graph=out/transfer/RNN-Graph \\
        --compare SelfAtt-Graph:RNN-Graph

    A parse can also be the folder of a system of `ud-experiment`; scores are then means over its
    seeds. If that study used --sentences N, use the gold files in its folder first_N. --out is a
    folder, which will hold

      directions.tsv    for each treebank and type, and for its arcs with the modifier first, with
                        the head first, and all: number, share, UAS and LAS of each system
      distances.tsv     the same by distance, negative if the modifier is first, without words
                        that are PUNCT or SYM
      differences.tsv   with --compare, as in ud-word-order: the difference in (UAS + LAS) / 2
                        in each treebank, on all arcs of each type and on arcs at distance 1;
                        treebanks by the share of arcs with the modifier first, or at distance 1
      differences.png   a plot of these
      correlation.tsv   between the share and the difference, over treebanks, with 95% intervals
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help=f"CoNLL-U: the gold file and its parses, [NAME=]PATH; with --parsed, gold files. "
            f"Several gold files: {SEVERAL}",
        )
        parser.add_argument(
            "--parsed",
            nargs="+",
            action="extend",
            metavar="[NAME=]PATH",
            help="parses, if all files before it are gold files",
        )
        parser.add_argument("--by", choices=tuple(_OPTIONS)[1:], help="group the scores by this")
        add_out(parser, "PATH", required=False)
        add_old(parser, "--tsv", "--out")
        parser.add_argument(
            "--samples",
            type=int,
            help=f"number of bootstrap samples; 0 disables differences (default = {SAMPLES})",
        )
        parser.add_argument("--seed", type=int, help="random seed of the samples (default = 0)")
        parser.add_argument(
            "--metrics",
            help=f"columns to score, from {','.join(ALL)} (default: the first three only if words "
            "differ)",
        )
        parser.add_argument(
            "--official",
            action="store_true",
            default=None,
            help="print all scores of the shared task's script, without gaps",
        )
        parser.add_argument(
            "--types", help="types of arcs, with --by direction (default = those of Table 10)"
        )
        parser.add_argument(
            "--compare",
            action="append",
            metavar="A,B:C,D",
            help="two groups of parses, with --by direction; repeat the option for more "
            "comparisons",
        )

    def run(self, args: argparse.Namespace) -> None:
        _check_options(args)
        files = args.files if args.parsed else args.files[:1]
        golds = gold_paths(files)
        parsed = named_parses(args.parsed or args.files[1:])
        if not parsed:
            raise ConfigurationError(
                f"{' '.join(args.files)} is gold, and no parse of it is named. Name one after it, "
                "or with --parsed."
            )
        if args.by == "arcs":
            score_arcs(golds, parsed, args.samples, args.seed, args.out)
        elif args.by == "direction":
            score_directions(golds, parsed, args.types, args.compare, args.out)
        else:
            metrics = args.metrics.split(",") if args.metrics else None
            bootstrap = args.samples, args.seed
            score_parses(golds, parsed, metrics, args.official, *bootstrap, args.out)


_OPTIONS: dict[Optional[str], dict[str, Any]] = {
    None: {"samples": SAMPLES, "seed": 0, "metrics": None, "official": False, "out": None},
    "arcs": {"samples": SAMPLES, "seed": 0, "out": None},
    "direction": {"types": TABLE_10, "compare": [], "out": None},
}
"""The options of each value of `--by`, with their defaults."""


def _check_options(args: argparse.Namespace) -> None:
    """Sets defaults, and rejects options that would have no effect."""
    taken = _OPTIONS[args.by]
    for name in sorted({name for options in _OPTIONS.values() for name in options}):
        if getattr(args, name) is None:
            setattr(args, name, taken.get(name))
        elif name not in taken:
            kinds = [kind for kind, options in _OPTIONS.items() if name in options and kind]
            where = f"for --by {' and '.join(kinds)}" if kinds else "for scores without --by"
            raise ConfigurationError(f"--{name} is {where}. Omit it.")
    if args.by == "direction" and not args.out:
        raise ConfigurationError("--by direction writes tables. Name a folder for them with --out.")
    if args.samples is not None and args.samples < 0:
        raise ConfigurationError(f"--samples is {args.samples}. Use a number of samples, or 0.")
    if args.metrics:
        _check_metrics(args.metrics.split(","))


def _check_metrics(metrics: Sequence[str]) -> None:
    unknown = [name for name in metrics if name not in ALL]
    if unknown:
        raise ConfigurationError(
            f"--metrics has {unknown[0]!r}, which is not a metric. Use {','.join(ALL)}."
        )
