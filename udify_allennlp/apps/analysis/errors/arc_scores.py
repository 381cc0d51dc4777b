"""Errors of parses arc by arc, and the errors that each parse corrects: `ud-score --by arcs`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.errors.bins import Arc, Bin, Bins, arcs, bins, reduction
from udify_allennlp.apps.analysis.errors.figures import BinPanel, draw_bins
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import new_folder, write_table
from udify_allennlp.apps.analysis.output.parsed_paths import (
    gold_sentences,
    parsed_paths,
)
from udify_allennlp.scoring.bootstrap import difference, resample
from udify_allennlp.scoring.official import official_counts, scores_of
from udify_allennlp.text.conllu import check_tree, read_sentences
from udify_allennlp.text.paired_files import check_same_words
from udify_allennlp.text.sentence import Sentence

METRICS = ("UAS", "LAS")
_SHOWN = {"relation": 20, "relation with subtype": 40}
"""Maximum number of bins per view that are printed and drawn; the table has all."""


class Parse(NamedTuple):
    """The parse of all treebanks, one after the other."""

    counts: np.ndarray
    bins: Bins


def score_arcs(
    golds: dict[str, str], parsed: dict[str, str], samples: int, seed: int, out: Optional[str]
) -> None:
    """
    Prints the tables, and writes them into the folder `out`.

    # Parameters

    golds : `Dict[str, str]`
        Gold files by the names of treebanks.
    parsed : `Dict[str, str]`
        Parses by name.
    samples, seed : `int`
        Number of bootstrap samples, and random seed; without samples there are no intervals.
    out : `Optional[str]`
        A folder, new or empty.
    """
    can_draw = bool(out) and figures.available()
    folder = new_folder(out, "--out") if out else None
    texts = [gold_sentences(path) for path in golds.values()]
    gold_arcs = [arcs(sentence) for text in texts for sentence in _trees(text)]
    parses: dict[str, Parse] = {}
    for name, path in Tqdm.tqdm(list(parsed.items()), desc="comparing", unit=" parses"):
        files_parsed = [_parse(text, file) for text, file in zip(texts, parsed_paths(golds, path))]
        counts = np.concatenate([counts for counts, _ in files_parsed])
        parses[name] = Parse(
            counts, bins(gold_arcs, [s for _, sentences in files_parsed for s in sentences])
        )
    passes = list(_passes(parses, samples, seed))
    sys.stdout.write(_pass_table(passes) + "".join(f"\n{t}" for t in _view_tables(parses)))
    if folder is not None:
        write_table(folder / "passes.tsv", [_PASS_COLUMNS, *passes])
        write_table(folder / "errors.tsv", [_COLUMNS, *_rows(parses)])
    if folder is not None and can_draw:
        draw_bins(folder / "errors.png", _panels(parses))


def _trees(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Returns the sentences after checking that their heads form trees."""
    for sentence in sentences:
        check_tree(sentence)
    return sentences


def _parse(golds: Sequence[Sentence], path: str) -> tuple[np.ndarray, list[list[Arc]]]:
    """Returns the `official_counts` of a file, and its arcs, sentence by sentence."""
    parsed = list(read_sentences(path))
    for gold, new in zip(golds, parsed):
        check_same_words(gold, new)
    if len(golds) != len(parsed):
        raise ConfigurationError(
            f"{path}: has {len(parsed)} sentences, but the gold file has {len(golds)}. Parse the "
            "same file."
        )
    sentence_arcs = [arcs(sentence) for sentence in _trees(parsed)]
    return official_counts(golds, parsed, path), sentence_arcs


_PASS_COLUMNS = ["parse", "over", "metric", "value", "rer", "points", "low", "high", "p"]
Row = list[Any]


def _passes(parses: dict[str, Parse], samples: int, seed: int) -> Iterator[Row]:
    """Yields each parse and its gain over the one before; at the end, the last over the first."""
    names = list(parses)
    scores = {name: scores_of(parse.counts) for name, parse in parses.items()}
    drawn = [resample([p.counts], samples, seed) for p in parses.values()] if samples else []

    def row(metric: str, before: Optional[int], after: int) -> Row:
        value = scores[names[after]][metric]
        if before is None:
            return [names[after], None, metric, value, *[None] * 5]
        rer = reduction(scores[names[before]][metric], value)
        gain: Sequence[Any] = [value - scores[names[before]][metric], None, None, None]
        if drawn:
            gain = difference(drawn[before], drawn[after])[metric]
        return [names[after], names[before], metric, value, rer, *gain]

    steps = [(number - 1 if number else None, number) for number in range(len(names))]
    if len(names) > 2:
        steps.append((0, len(names) - 1))
    for before, after in steps:
        yield from (row(metric, before, after) for metric in METRICS)


_COLUMNS = ["view", "bin", "parse", *Bin._fields, "precision", "recall", "f1", "rer"]


def _rows(parses: dict[str, Parse]) -> Iterator[Row]:
    """Yields a line for each bin of each parse, with the gain over the parse before."""
    for view, bin_, cells in _cells(parses):
        for name, (cell, rer) in cells.items():
            yield [view, bin_, name, *cell, cell.precision, cell.recall, cell.f1, rer]


Cells = dict[str, tuple[Bin, Optional[float]]]


def _cells(parses: dict[str, Parse]) -> Iterator[tuple[str, str, Cells]]:
    """Yields each bin of each view, with its counts by parse and the gain over the one before."""
    views = next(iter(parses.values())).bins
    for view in views:
        order = dict.fromkeys(bin_ for parse in parses.values() for bin_ in parse.bins[view])
        for bin_ in order:
            cells: Cells = {}
            last: Optional[Bin] = None
            for name, parse in parses.items():
                cell = parse.bins[view].get(bin_, Bin(0, 0, 0, 0))
                cells[name] = cell, None if last is None else reduction(last.f1, cell.f1)
                last = cell
            yield view, bin_, cells


def _pass_table(passes: Sequence[Row]) -> str:
    lines = [["parse", "over", "metric", "score", "RER", "points", "95% interval", "p"]]
    for name, over, metric, value, rer, points, low, high, p in passes:
        interval = "" if low is None else f"{low:+.2f} to {high:+.2f}"
        numbers = [_number(rer), _number(points, "+.2f"), interval, _number(p, ".4f")]
        lines.append([name, over or "", metric, f"{value:.2f}", *numbers])
    return _aligned(lines)


def _view_tables(parses: dict[str, Parse]) -> Iterator[str]:
    """Yields by view a table of the F1 of each parse, followed from the second on by its RER."""
    lines: dict[str, list[list[str]]] = {}
    for view, bin_, cells in _cells(parses):
        if view not in lines:
            head = [view, "words"]
            for number, name in enumerate(parses):
                head += [name, "RER"] if number else [name]
            lines[view] = [head]
        row = [bin_, f"{max(cell.gold for cell, _ in cells.values()):,}"]
        for number, (cell, rer) in enumerate(cells.values()):
            row += [f"{cell.f1:.2f}", _number(rer)] if number else [f"{cell.f1:.2f}"]
        lines[view].append(row)
    for view, (head, *rows) in lines.items():
        yield _aligned([head, *rows[: _SHOWN.get(view)]])


def _number(value: Optional[float], form: str = ".2f") -> str:
    return "" if value is None else format(value, form)


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        + "\n"
        for line in lines
    )


def _panels(parses: dict[str, Parse]) -> list[BinPanel]:
    by_view: dict[str, list[tuple[str, Cells]]] = {}
    for view, bin_, cells in _cells(parses):
        by_view.setdefault(view, []).append((bin_, cells))
    panels = []
    for view, view_bins in by_view.items():
        shown = view_bins[: _SHOWN.get(view)]
        gold = [max(cell.gold for cell, _ in cells.values()) for _, cells in shown]
        lines: dict[str, Sequence[float]] = {}
        for name in parses:
            lines[name] = [cells[name][0].f1 for _, cells in shown]
        panels.append(BinPanel(view, [bin_ for bin_, _ in shown], gold, lines))
    return panels
