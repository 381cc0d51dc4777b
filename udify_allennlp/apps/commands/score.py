"""`allennlp ud-score GOLD PARSED [PARSED ...]`: scores of CoNLL 2018, and differences."""

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
    from those of the gold file: they are aligned by their characters, as for parses of raw text.

      allennlp ud-score gold.conllu parsed.conllu
      allennlp ud-score gold.conllu a.conllu b.conllu c.conllu --metrics UPOS,LAS,MLAS
      allennlp ud-score 'ud/*/*-ud-test.conllu' out/a out/b --out scores.tsv
      allennlp ud-score ud/*/*-ud-test.conllu --parsed Before=out/a After=out/b

    Of several parses, each is compared with the first: the difference in points, the interval that
    holds it in 95 of 100 samples, and p, how likely chance alone makes one as large (paired
    bootstrap over sentences: it knows the chance of which sentences were in the file, and nothing
    of what another training run would give). With several gold files, a parse is a folder or a
    quoted glob with one file for each, called as it or after its treebank, and differences are of
    the macro average. Parses are named after their files, or as NAME=PATH says.

    A figure of a column that one of the two files leaves empty is `-`, and in no average: it would
    be 100 where gold has no lemmas. So is one of a column that is gold's own, as XPOS is where gold
    was parsed by a model that does not predict it: all words of the parse, in all its files, have
    what gold has. --official gives the figures of the shared task's script. --out is a file for a
    table of all of it, in full, as TSV.

    --by arcs shows where parses are right: labelled F1 of arcs by their length, by their distance
    to the root, by the length of the sentence (there it is LAS), by relation without and with its
    subtype, and of projective and non-projective ones. Of several parses, in their order, it also
    gives how much of the error of the one before each removes: the relative error reduction of
    refinement by iteration (RER, Mohammadshahi 2023, Equation 3.8), with the difference in points,
    its 95% interval and p by the same bootstrap.

      allennlp ud-score --by arcs gold.conllu udify.conllu pass1.conllu pass2.conllu pass3.conllu
      allennlp ud-score --by arcs 'ud/*/*-ud-dev.conllu' out/before out/after --out errors

    Precision counts the arcs of the parse that are in a bin, recall those of gold. An arc is right
    if LAS counts it as right: its subtype may differ. Words must be those of gold, and heads trees.
    All gold files are taken as one text. --out is a folder: passes.tsv and errors.tsv, in full, and
    errors.png.

    --by direction shows which arcs parsers get right (Ahmad et al. 2019, section 4.3, Table 10,
    Figures 3 and 4): by type, that is UPOS of modifier and head and relation, by whether the
    modifier or the head stands first, and by how far the one is from the other.

      allennlp ud-score --by direction 'ud/*/*-ud-test.conllu' --out cells \\
        SelfAtt-Graph=out/transfer/SelfAtt-Graph RNN-Graph=out/transfer/RNN-Graph \\
        --compare SelfAtt-Graph:RNN-Graph

    A parse can also be the folder of a system of `ud-experiment`, of whose seeds the scores are
    then means. Where these had --sentences N, gold files are those of their folder first_N. --out
    is a folder, in which there will be

      directions.tsv    of each treebank and type, of its arcs with the modifier first, those with
                        the head first, and all: how many, what share, UAS and LAS of each system
      distances.tsv     the same by distance, negative where the modifier is first, without words
                        that are PUNCT or SYM
      differences.tsv   with --compare, as that of ud-word-order: the difference of (UAS + LAS) / 2
                        in each treebank on all arcs of each type, and on those at distance 1;
                        treebanks by the share of arcs with the modifier first, or at distance 1
      differences.png   a figure of it
      correlation.tsv   of the share and the difference, over treebanks, with 95% intervals
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
            help="parses, if all that is named before are gold files",
        )
        parser.add_argument("--by", choices=tuple(_OPTIONS)[1:], help="what to count them by")
        add_out(parser, "PATH", required=False)
        add_old(parser, "--tsv", "--out")
        parser.add_argument(
            "--samples",
            type=int,
            help=f"number of bootstrap samples; 0 disables differences (default = {SAMPLES})",
        )
        parser.add_argument("--seed", type=int, help="of the samples (default = 0)")
        parser.add_argument(
            "--metrics",
            help=f"columns, of {','.join(ALL)} (default: the first three only if words differ)",
        )
        parser.add_argument(
            "--official",
            action="store_true",
            default=None,
            help="all figures of the shared task's script, none left out",
        )
        parser.add_argument(
            "--types", help="of arcs, with --by direction (default = those of Table 10)"
        )
        parser.add_argument(
            "--compare",
            action="append",
            metavar="A,B:C,D",
            help="two groups of parses, with --by direction; give several",
        )

    def run(self, args: argparse.Namespace) -> None:
        _check_options(args)
        files = args.files if args.parsed else args.files[:1]
        golds = gold_paths(files)
        parsed = named_parses(args.parsed or args.files[1:])
        if not parsed:
            raise ConfigurationError(
                f"{' '.join(args.files)} is gold, and there is no parse of it. Name one behind it, "
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
"""By `--by`, the options that it takes, with their defaults."""


def _check_options(args: argparse.Namespace) -> None:
    """Sets defaults, and refuses options that would do nothing."""
    taken = _OPTIONS[args.by]
    for name in sorted({name for options in _OPTIONS.values() for name in options}):
        if getattr(args, name) is None:
            setattr(args, name, taken.get(name))
        elif name not in taken:
            kinds = [kind for kind, options in _OPTIONS.items() if name in options and kind]
            where = f"for --by {' and '.join(kinds)}" if kinds else "for scores without --by"
            raise ConfigurationError(f"--{name} is {where}. Leave it out.")
    if args.by == "direction" and not args.out:
        raise ConfigurationError("--by direction writes tables. Name a folder for them with --out.")
    if args.samples is not None and args.samples < 0:
        raise ConfigurationError(f"--samples is {args.samples}. Give a number of samples, or 0.")
    if args.metrics:
        _check_metrics(args.metrics.split(","))


def _check_metrics(metrics: Sequence[str]) -> None:
    unknown = [name for name in metrics if name not in ALL]
    if unknown:
        raise ConfigurationError(f"--metrics: there is no {unknown[0]!r}. Use {','.join(ALL)}.")
