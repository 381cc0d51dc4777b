"""Extensions of AllenNLP's `allennlp evaluate`: the official scores, and a report."""

import argparse
import json
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Optional

from allennlp.commands.evaluate import evaluate_from_args
from allennlp.common.params import parse_overrides

from udify_allennlp.apps.analysis.errors.counts import Errors, Pair
from udify_allennlp.apps.analysis.errors.page import (
    WORST,
    WORST_FIRST,
    OnlyTreebank,
    Row,
    confusions_of,
    scores_page,
    treebank_page,
)
from udify_allennlp.apps.analysis.errors.tree_list import entry, listing
from udify_allennlp.apps.analysis.output.files import new_folder
from udify_allennlp.apps.analysis.output.screen import show
from udify_allennlp.scoring.evaluator import Watcher, watched_by
from udify_allennlp.scoring.undefined_scores import macro_average
from udify_allennlp.text.conllu import write_sentences
from udify_allennlp.text.files import write_whole


def add_options(subparser: argparse.ArgumentParser) -> None:
    """Adds the options `--official`, `--report` and `--iterations`."""
    subparser.add_argument(
        "--official",
        action="store_true",
        help="print all scores of the CoNLL 2018 script, including 100 for columns that are "
        "missing from the gold data or the model",
    )
    subparser.add_argument(
        "--report",
        metavar="FOLDER",
        help="a new folder for web pages: scores, confusions of UPOS and relations, errors by "
        "label and length, and the worst sentences drawn; the parses are also written there",
    )
    add_iterations(subparser)


def add_iterations(subparser: argparse.ArgumentParser) -> None:
    """Adds `--iterations`, which `change_settings` reads."""
    subparser.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help="number of passes of a model that refines its trees (default: as in its config; 0: no "
        "refinement, the trees of the initial parser)",
    )


def change_settings(args: argparse.Namespace, **settings: Any) -> None:
    """Adds settings, and the value of `--iterations`, to the `overrides` of a command."""
    if args.iterations is not None:
        settings["model.iterations"] = args.iterations
    if settings:
        changes = parse_overrides(args.overrides, ext_vars=dict(os.environ))
        args.overrides = json.dumps({**changes, **settings})


def evaluate(args: argparse.Namespace) -> None:
    """Runs AllenNLP's `evaluate` with these options."""
    change_settings(args, **({"evaluation.official": True} if args.official else {}))
    watcher = LastTable() if args.report is None else Report(new_folder(args.report, "--report"))
    with watched_by(watcher):
        try:
            scores = evaluate_from_args(args)
        finally:
            show(watcher.table)
    if not watcher.table:  # of models that are no parsers
        show(_listed(scores))
    watcher.finish()


def _listed(scores: dict[str, Any]) -> str:
    """Returns a line for each score, and a table with a row for each file."""
    lines: list[str] = []
    for name, value in scores.items():
        if isinstance(value, dict):
            lines += [name, _listed(value)]
        elif isinstance(value, (int, float)):
            lines.append(f"{name:<20} {value:.2f}")
    return "\n".join(lines)


class LastTable(Watcher):
    """The last table: AllenNLP scores files one by one, each with a table of all files so far."""

    def __init__(self) -> None:
        self.table = ""

    def show(self, table: str) -> None:
        self.table = table

    def finish(self) -> None:
        """Writes the report after all files are scored."""


class Report(LastTable):
    """
    Pages about the parses of treebanks: `index.html` with all scores, and a page and a CoNLL-U file
    for each treebank, named after it. If there is only one treebank, `index.html` shows its worst
    errors too.

    # Parameters

    folder : `Path`
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._rows: list[Row] = []
        self._first: Optional[OnlyTreebank] = None

    def scored(
        self,
        name: str,
        pairs: Sequence[Pair],
        scores: dict[str, float],
        columns: Collection[str],
    ) -> None:
        """
        Adds the parse of a treebank; `columns` are those that both the model predicts and the gold
        data has.
        """
        stem = self._stem(name)
        write_sentences((new for _, new in pairs), self._folder / f"{stem}.conllu")
        errors = Errors(pairs, columns)
        worst = enumerate(errors.worst(WORST), start=1)
        entries = [entry(number, *pair, columns) for number, pair in worst]
        trees = listing(entries, are_compared=True, choose=False)
        text = treebank_page(name, scores, errors, trees)
        write_whole(self._folder / f"{stem}.html", [text.encode()])
        if not self._rows:
            first = listing(entries[:WORST_FIRST], are_compared=True, choose=False)
            self._first = OnlyTreebank(name, f"{stem}.html", confusions_of(errors), first)
        self._rows.append((name, scores, f"{stem}.html"))

    def finish(self) -> None:
        """Writes the first page."""
        rows = list(self._rows)
        if len(rows) > 1:
            scored = [(name, scores) for name, scores, _ in rows]
            metrics = dict.fromkeys(metric for _, scores in scored for metric in scores)
            average = macro_average(scored, list(metrics))
            rows.append(("macro average", average, ""))
        only = self._first if len(self._rows) == 1 else None
        write_whole(self._folder / "index.html", [scores_page(rows, only).encode()])

    def _stem(self, name: str) -> str:
        """Returns a file name that differs from those of all other treebanks."""
        stem = re.sub(r"[^\w.-]", "_", name).strip(".")[:80] or "treebank"
        taken = {link for _, _, link in self._rows} | {"index.html"}
        number: Optional[int] = None
        while (free_stem := f"{stem}_{number}" if number else stem) + ".html" in taken:
            number = (number or 1) + 1
        return free_stem
