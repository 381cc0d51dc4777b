"""`allennlp ud-join-roles` and `ud-role-score`: files of semantic roles."""

import argparse
import sys
from collections.abc import Iterator

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.files import names_of, write_table
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import add_old, add_out
from udify_allennlp.srl.scores import METRICS, role_counts, sum_of, table
from udify_allennlp.text.conllu import write_sentences
from udify_allennlp.text.paired_files import check_same_words, paired
from udify_allennlp.text.roles.predicates import predicates_of, with_predicates
from udify_allennlp.text.sentence import Sentence

_COLUMNS = ("lemmas", "upos", "xpos", "feats", "heads", "deprels")


@Subcommand.register("ud-join-roles")
class JoinRoles(Command):
    """
    Join two files of the same sentences, with span roles (CoNLL 2005) and dependency roles (CoNLL
    2009), into one CoNLL-U file with both in MISC and with the trees, tags and lemmas of the second
    file: for models of both styles, and for spans with syntax.

      allennlp ud-join-roles train.conll05 train.conll09 --out train.conllu

    A predicate that is in only one of the two has the arguments of that file.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("spans", help="CoNLL 2005 columns")
        parser.add_argument("dependencies", help="CoNLL 2009 columns")
        add_out(parser, "FILE", "CoNLL-U")

    def run(self, args: argparse.Namespace) -> None:
        _join(args)


@Subcommand.register("ud-role-score")
class ScoreRoles(Command):
    """
    Score files of semantic roles by precision, recall and F1: spans as srl-eval.pl of CoNLL 2005
    counts them, dependencies as eval09.pl of CoNLL 2009 does. Files are in the columns of either
    task, or CoNLL-U with roles in MISC.

      allennlp ud-role-score test.conll05 labelled.conll05 other.conll05 --out scores.tsv

    span_all_F1 also counts the arguments of predicates that gold lacks, which srl-eval.pl ignores;
    dep_args_F1 covers arguments without senses, pred_F1 the identification of predicates.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("gold", help="a gold file of roles")
        parser.add_argument("predicted", nargs="+", help="parsed files of the same sentences")
        add_out(parser, "FILE", "a TSV table of all scores, in full precision", required=False)
        add_old(parser, "--tsv", "--out")

    def run(self, args: argparse.Namespace) -> None:
        _score(args)


def _join(args: argparse.Namespace) -> None:
    pairs = Tqdm.tqdm(_pairs(args.spans, args.dependencies), desc="joining", unit=" sentences")
    write_sentences((_joined(*pair) for pair in pairs), args.out)


def _joined(spans: Sentence, heads: Sentence) -> Sentence:
    predicate_of = {predicate.word: predicate for predicate in predicates_of(heads)}
    for predicate in predicates_of(spans):
        # The sense of the second file; FRAME and SENSE are the same where files agree.
        with_heads = predicate_of.get(predicate.word, predicate)
        predicate_of[predicate.word] = with_heads._replace(spans=predicate.spans)
    columns = {name: getattr(heads, name) for name in _COLUMNS}
    return spans.replace(**columns, misc=with_predicates(spans.misc, predicate_of.values()))


def _score(args: argparse.Namespace) -> None:
    rows = []
    paths = list(zip(names_of(args.predicted), args.predicted))
    for name, path in Tqdm.tqdm(paths, desc="scoring", unit=" files"):
        rows.append((name, sum_of(role_counts(*pair) for pair in _pairs(args.gold, path)).scores()))
    if not any(scores for _, scores in rows):
        raise ConfigurationError(f"{args.gold} has no predicates. Name a file of semantic roles.")
    sys.stdout.write(table(rows))
    if args.out:
        cells = [
            [name, metric, scores[metric]]
            for name, scores in rows
            for metric in METRICS
            if metric in scores
        ]
        write_table(args.out, [["file", "metric", "value"], *cells])


def _pairs(first: str, second: str) -> Iterator[tuple[Sentence, Sentence]]:
    """Yields pairs of sentences of two files, which must have the same words."""
    for pair in paired(first, second):
        check_same_words(*pair)
        yield pair
