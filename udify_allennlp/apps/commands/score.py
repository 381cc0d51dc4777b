"""`allennlp ud-score GOLD PARSED [PARSED ...]`: figures of CoNLL 2018 of files, and differences."""

import argparse
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple

import numpy as np
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.files import names_of
from udify_allennlp.apps.analysis.output.parsed_paths import (
    gold_paths,
    gold_sentences,
    parsed_paths,
)
from udify_allennlp.scoring.bootstrap import SAMPLES, Difference, difference, resample
from udify_allennlp.scoring.official import (
    METRICS,
    SEGMENTATION,
    official_counts,
    report,
    scores_of,
)
from udify_allennlp.scoring.undefined_scores import filled, honest, kept, macro_average
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.files import write_whole

ALL = SEGMENTATION + METRICS
COLUMN_NAMES = {
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "FEATS",
    "lemmas": "LEMMA",
    "heads": "HEAD",
    "deprels": "DEPREL",
}
Rows = List[Tuple[str, Dict[str, float]]]
"""By treebank, its figures."""


class Parse(NamedTuple):
    """Of a treebank what `official_counts` says."""

    counts: np.ndarray
    columns: Set[str]
    """Those that gold and it fill in."""
    kept: Set[str]
    """Those that may be gold's own, see `undefined_scores.kept`."""


@Subcommand.register("ud-score")
class ScoreFiles(Subcommand):
    """
    Score parsed CoNLL-U files by the measures of the CoNLL 2018 shared task. The words may differ
    from those of the gold file: they are aligned by their characters, as for parses of raw text.

      allennlp ud-score gold.conllu parsed.conllu
      allennlp ud-score gold.conllu a.conllu b.conllu c.conllu --metrics UPOS,LAS,MLAS
      allennlp ud-score 'ud/*/*-ud-test.conllu' out/a out/b --tsv scores.tsv

    Of several parses, each is compared with the first: the difference in points, the interval that
    holds it in 95 of 100 samples, and p, how likely chance alone makes one as large (paired
    bootstrap over sentences: it knows the chance of which sentences were in the file, and nothing
    of what another training run would give). With several gold files, a parse is a folder or a
    quoted glob with one file for each, called as it or after its treebank, and differences are of
    the macro average.

    A figure of a column that one of the two files leaves empty is `-`, and in no average: it would
    be 100 where gold has no lemmas. So is one of a column that is gold's own, as XPOS is where gold
    was parsed by a model that does not predict it: all words of the parse, in all its files, have
    what gold has. --official gives the figures of the shared task's script.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Score parsed CoNLL-U files; say whether one is better than another.",
        )
        subparser.add_argument("gold", help="CoNLL-U; several by a quoted glob or commas")
        subparser.add_argument("parsed", nargs="+", help="parsed CoNLL-U of the same text")
        subparser.add_argument(
            "--metrics",
            help=f"columns, of {','.join(ALL)} (default: the first three only if words differ)",
        )
        subparser.add_argument(
            "--samples", type=int, default=SAMPLES, help="of the bootstrap; 0: no differences"
        )
        subparser.add_argument("--seed", type=int, default=0, help="of the samples")
        subparser.add_argument(
            "--official",
            action="store_true",
            help="all figures of the shared task's script, none left out",
        )
        subparser.add_argument("--tsv", help="a file to write all of it to, in full")
        subparser.set_defaults(func=_score)
        return subparser


def _score(args: argparse.Namespace) -> None:
    if args.metrics:
        _check_metrics(args.metrics.split(","))
    if args.samples < 0:
        raise ConfigurationError(f"--samples is {args.samples}. Give a number of samples, or 0.")
    golds = gold_paths(args.gold)
    names = names_of(args.parsed)
    with Tqdm.tqdm(total=len(names) * len(golds), desc="scoring", unit=" files") as bar:
        parses = {name: _parses(golds, path, bar) for name, path in zip(names, args.parsed)}
    scores = {name: _scores(found, args.official) for name, found in parses.items()}
    same_words = all(row["Words"] == 100 for rows in scores.values() for _, row in rows)
    metrics = args.metrics.split(",") if args.metrics else METRICS if same_words else ALL
    if len(golds) == 1:
        rows = [(name, row[0][1]) for name, row in scores.items()]
        text = report(rows, metrics, average=False)
    else:
        text = "\n".join(f"{name}\n{report(row, metrics)}" for name, row in scores.items())
    differences = []
    if args.samples and len(names) > 1:
        counts = [[parse.counts for parse in found.values()] for found in parses.values()]
        first, *others = (resample(found, args.samples, args.seed) for found in counts)
        differences = [(name, difference(first, other)) for name, other in zip(names[1:], others)]
    if not args.official:
        text += "".join(f"{name}: {note}\n" for name, note in _notes(parses))
    for name, found in differences:
        both = _shared(metrics, scores[names[0]], scores[name])
        text += f"\n{name} over {names[0]}\n{_table(found, both)}"
    sys.stdout.write(text)
    if args.tsv:
        write_whole(args.tsv, [_tsv(scores, differences, names[0]).encode()])


def _check_metrics(metrics: Sequence[str]) -> None:
    unknown = [name for name in metrics if name not in ALL]
    if unknown:
        raise ConfigurationError(f"--metrics: there is no {unknown[0]!r}. Use {','.join(ALL)}.")


def _parses(golds: Dict[str, str], parsed: str, bar: Any) -> Dict[str, Parse]:
    """The parse of each gold file."""
    paths = parsed_paths(golds, parsed)
    found = {}
    for (name, gold), path in zip(golds.items(), paths):
        both = gold_sentences(gold), list(read_sentences(path))
        try:
            counts = official_counts(*both, path)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        found[name] = Parse(counts, set.intersection(*map(filled, both)), kept(*both))
        bar.update()
    return found


def _scores(parses: Dict[str, Parse], official: bool) -> Rows:
    own = _kept(parses)
    rows = [(name, scores_of(parse.counts), parse.columns - own) for name, parse in parses.items()]
    return [(name, row if official else honest(row, columns)) for name, row, columns in rows]


def _kept(parses: Dict[str, Parse]) -> Set[str]:
    """The columns that are gold's own in all files."""
    return set.intersection(*(parse.kept for parse in parses.values()))


def _notes(parses: Dict[str, Dict[str, Parse]]) -> Iterator[Tuple[str, str]]:
    """By the name of a parse, why it has no figure of a column that gold has values in."""
    for name, found in parses.items():
        filled_in = set.union(*(parse.columns for parse in found.values()))
        own = [COLUMN_NAMES[each] for each in COLUMN_NAMES if each in _kept(found) & filled_in]
        if own:
            yield name, (
                f"{', '.join(own)} {'is' if len(own) == 1 else 'are'} gold's own in all words, and "
                "not scored (--official does)"
            )


def _shared(metrics: Sequence[str], *scores: Rows) -> List[str]:
    """The metrics that all rows of all parses have."""
    return [m for m in metrics if all(m in row for rows in scores for _, row in rows)]


def _table(differences: Dict[str, Difference], metrics: Sequence[str]) -> str:
    lines = [f"{'metric':<10}{'points':>8}{'95% interval':>20}{'p':>9}"]
    for metric in metrics:
        points, low, high, p = differences[metric]
        interval = f"{low:+.2f} to {high:+.2f}"
        lines.append(f"{metric:<10}{points:>+8.2f}{interval:>20}{p:>9.4f}")
    return "\n".join(lines) + "\n"


def _tsv(
    scores: Dict[str, Rows],
    differences: Sequence[Tuple[str, Dict[str, Difference]]],
    first: str,
) -> str:
    """A line for each figure; those of differences say to whom, and how sure they are."""
    lines = [["treebank", "parse", "over", "metric", "value", "low", "high", "p"]]
    for name, rows in scores.items():
        averages = [("macro average", macro_average(rows, ALL))] if len(rows) > 1 else []
        for treebank, values in [*rows, *averages]:
            known = [metric for metric in ALL if metric in values]
            lines += [[treebank, name, "", m, repr(values[m]), "", "", ""] for m in known]
    treebank = "macro average" if len(scores[first]) > 1 else scores[first][0][0]
    for name, found in differences:
        lines += [[treebank, name, first, m, *map(repr, found[m])] for m in ALL]
    return "".join("\t".join(line) + "\n" for line in lines)
