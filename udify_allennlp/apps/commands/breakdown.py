"""`allennlp ud-breakdown`: attachment by type and direction of arcs, and by their distance."""

import argparse
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, Dict, Hashable, List, Mapping, Sequence

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.errors.breakdown_figures import BarPanel, draw_bars
from udify_allennlp.apps.analysis.languages.comparisons import Comparison, comparisons
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import new_folder, write_table
from udify_allennlp.apps.analysis.output.parsed_paths import parsed_paths
from udify_allennlp.order_transfer.breakdown import (
    HEAD_FIRST,
    MODIFIER_FIRST,
    Cell,
    Key,
    breakdown,
    by_direction,
    by_distance,
    mean,
    total,
    without_punct,
)
from udify_allennlp.order_transfer.word_order import BUCKETS, ArcType, arc_type, correlations
from udify_allennlp.text.conllu import Sentence, expand_paths, read_sentences, treebank_names

Cells = Dict[str, Dict[Hashable, Cell]]
"""By system, then by the kind of arc."""
TABLE_10 = (
    "ADP>NOUN>case,NOUN>NOUN>nmod,ADJ>NOUN>amod,NOUN>VERB>obl,NOUN>VERB>obj,NOUN>VERB>nsubj,"
    "ADV>VERB>advmod,AUX>VERB>aux,VERB>VERB>advcl"
)


@Subcommand.register("ud-breakdown")
class Breakdown(Subcommand):
    """
    Which arcs parsers get right (Ahmad et al. 2019, section 4.3, Table 10, Figures 3 and 4): by
    type, that is UPOS of modifier and head and relation, by whether the modifier or the head stands
    first, and by how far the one is from the other.

      allennlp ud-breakdown cs_pdt-ud-test.conllu --out cells \\
        --parsed A=a.conllu --parsed B=b.conllu
      allennlp ud-breakdown 'ud/*/*-ud-test.conllu' --out cells \\
        --parsed SelfAtt-Graph=out/transfer/SelfAtt-Graph \\
        --parsed RNN-Graph=out/transfer/RNN-Graph --compare SelfAtt-Graph:RNN-Graph

    --parsed is a file, or a folder with one for each gold file, called as that is or
    TREEBANK.conllu; or the folder of a system of ud-transfer or ud-experiment, of whose seeds the
    scores are then means. Where these had --sentences N, gold files are those of their folder
    first_N. In --out there will be

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

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Score parsed CoNLL-U files by type, direction and distance of arcs.",
        )
        add = subparser.add_argument
        add("gold", nargs="+", help="CoNLL-U files, or quoted globs")
        add(
            "--parsed",
            action="append",
            required=True,
            metavar="NAME=PATH",
            help="a system and its parses, a file or a folder; give several",
        )
        add("--out", required=True, help="folder to write; new or empty")
        add("--types", default=TABLE_10, help="of arcs (default: those of Table 10)")
        add(
            "--compare",
            action="append",
            default=[],
            metavar="A,B:C,D",
            help="two groups of systems; give several",
        )
        subparser.set_defaults(func=_breakdown)
        return subparser


def _breakdown(args: argparse.Namespace) -> None:
    gold = expand_paths(args.gold)
    treebanks = dict(zip(treebank_names(gold), gold))
    files = _parsed(args.parsed, treebanks)
    try:
        types = [arc_type(text) for text in args.types.split(",")]
    except ValueError:
        raise ConfigurationError(
            f"--types is {args.types!r}: give types such as ADJ>NOUN>amod, separated by commas."
        ) from None
    pairs = comparisons(args.compare, list(files))
    by_type: Dict[ArcType, Dict[str, Cells]] = defaultdict(dict)
    distances: Dict[str, Cells] = {}
    for treebank, path in treebanks.items():
        sentences = list(read_sentences(path))
        parses = {
            name: [_read(parsed, path, sentences) for parsed in own[treebank]]
            for name, own in files.items()
        }
        for kind in types:
            by_type[kind][treebank] = _cells(sentences, parses, by_direction(kind))
        distances[treebank] = _cells(sentences, parses, without_punct(by_distance))
    folder = new_folder(args.out, "--out")
    scores = [f"{name} {metric}" for name in files for metric in ("UAS", "LAS")]
    rows: List[List[Any]] = [["treebank", "type", "arcs with", "number", "share", *scores]]
    for kind in types:
        for treebank, cells in by_type[kind].items():
            both = {name: {**own, "all": total(own.values())} for name, own in cells.items()}
            for name in (MODIFIER_FIRST, HEAD_FIRST, "all"):
                rows.append([treebank, str(kind), name, *_row(both, name, "all")])
    sys.stdout.write(write_table(folder / "directions.tsv", rows) + "\n")
    rows = [["treebank", "distance", "number", "share", *scores]]
    for treebank, cells in distances.items():
        both = {name: {**own, "all": total(own.values())} for name, own in cells.items()}
        rows += [[treebank, name, *_row(both, name, "all")] for name in (*BUCKETS, "all")]
    sys.stdout.write(write_table(folder / "distances.tsv", rows))
    if pairs:
        kinds = {str(kind): (by_type[kind], MODIFIER_FIRST) for kind in types}
        kinds["distance 1"] = (distances, "1")
        _differences(folder, pairs, kinds)


def _read(parsed: str, path: str, sentences: Sequence[Sentence]) -> List[Sentence]:
    """The sentences of a parsed file, once it is known that they are those of the gold one."""
    found = list(read_sentences(parsed))
    if [s.forms for s in found] != [s.forms for s in sentences]:
        raise ConfigurationError(f"{parsed} has other words than {path}. Parse that file.")
    return found


def _cells(
    sentences: Sequence[Sentence], parses: Mapping[str, Sequence[List[Sentence]]], key: Key
) -> Cells:
    return {
        name: mean([breakdown(zip(sentences, parsed), key) for parsed in own])
        for name, own in parses.items()
    }


def _parsed(
    given: Sequence[str], treebanks: Mapping[str, str]
) -> Dict[str, Dict[str, Sequence[str]]]:
    """By system and treebank, the parsed files, one or that of each seed."""
    found: Dict[str, Dict[str, Sequence[str]]] = {}
    for text in given:
        name, _, path = text.partition("=")
        if not name or name in found or ":" in name or "," in name or not path:
            raise ConfigurationError(
                f"--parsed {text!r}: give a name, each once and without , or :, and a file or a "
                "folder, such as A=out/a.conllu."
            )
        if not os.path.exists(path):
            raise ConfigurationError(f"--parsed {text!r}: there is no {path}. Name what is parsed.")
        if not os.path.isdir(path) and len(treebanks) > 1:
            raise ConfigurationError(
                f"--parsed {text!r} is one file, and there are {len(treebanks)} gold ones. Give a "
                "folder with a file TREEBANK.conllu for each."
            )
        each = [parsed_paths(treebanks, folder) for folder in _folders(Path(path))]
        found[name] = dict(zip(treebanks, zip(*each)))
    return found


def _folders(path: Path) -> List[str]:
    """Where parsed files are: there, or where `ud-transfer` leaves those of its seeds."""
    folders = sorted(path.glob("seed_*/scores")) or [path / "scores"]
    return [str(folder) for folder in folders if folder.is_dir()] or [str(path)]


def _row(cells: Cells, name: str, whole: str) -> List[Any]:
    """How many arcs, what share of all, and the scores of each system."""
    own = [found.get(name, Cell(0, 0, 0)) for found in cells.values()]
    count, every = own[0].arcs, next(iter(cells.values()))[whole].arcs
    scores = [score for cell in own for score in ((cell.uas, cell.las) if count else (None, None))]
    return [count, 100 * count / every if every else None, *scores]


def _differences(folder: Path, pairs: Sequence[Comparison], kinds: Mapping[str, Any]) -> None:
    rows: List[List[Any]] = [["comparison", "arcs", "treebank", "share", "difference"]]
    table: List[List[Any]] = [
        ["comparison", "arcs", "points", "coefficient", "value", "low", "high"]
    ]
    panels = []
    for pair in pairs:
        for kind, (cells, counted) in kinds.items():
            bars = []
            for treebank, own in cells.items():
                # All arcs of a type, by how many have the modifier first; those at a distance.
                names = [counted] if counted in BUCKETS else [MODIFIER_FIRST, HEAD_FIRST]
                part = {n: total(own[n].get(c, Cell(0, 0, 0)) for c in names) for n in own}
                first = next(iter(own.values()))
                every = total(first.values()).arcs
                if next(iter(part.values())).arcs:
                    means = {n: (cell.uas + cell.las) / 2 for n, cell in part.items()}
                    share = 100 * first.get(counted, Cell(0, 0, 0)).arcs / every
                    bars.append((share, treebank, pair.difference(means)))
            bars.sort(key=lambda bar: (-bar[0], bar[1]))
            rows += [[str(pair), kind, treebank, share, d] for share, treebank, d in bars]
            shares, gains = [bar[0] for bar in bars], [bar[2] for bar in bars]
            for coefficient, value in correlations(shares, gains).items():
                table.append([str(pair), kind, len(bars), coefficient, *value])
            if bars:
                names_and_shares = [f"{treebank} {share:.0f}%" for share, treebank, _ in bars]
                panels.append(BarPanel(kind, str(pair), names_and_shares, [bar[2] for bar in bars]))
    write_table(folder / "differences.tsv", rows)
    write_table(folder / "correlation.tsv", table)
    if panels and figures.available():
        draw_bars(folder / "differences.png", panels)
