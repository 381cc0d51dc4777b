"""`allennlp ud-view FILE.conllu --out PAGE.html`: trees in a browser, or in the terminal."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Optional

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.errors.counts import Errors
from udify_allennlp.apps.analysis.errors.tree_list import Entry, entry, listing
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import add_out
from udify_allennlp.apps.pages.rendering import render
from udify_allennlp.scoring.undefined_scores import filled
from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.constituents.sentences import tree_of
from udify_allennlp.text.drawing import phrases
from udify_allennlp.text.drawing.differences import COLUMNS
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.paired_files import paired
from udify_allennlp.text.parsed import ParsedSentence

_PAGES = ("", ".html", ".htm")
Pair = tuple[Sentence, Optional[Sentence]]


@Subcommand.register("ud-view")
class ViewTrees(Command):
    """
    Draw the trees of a CoNLL-U or bracketed file: without --out in the terminal, each word under
    its head; with --out as a self-contained HTML page for a browser. In the page, multiword tokens
    are brackets under their words, and phrases are bars. Empty nodes are grey, in their place;
    point at the number of one to see its enhanced dependencies.

    With --predicted, the words of both files must be the same. Annotation that only FILE has is
    blue, solid and marked ✓; annotation that only the other file has is red, dashed and marked ✗.
    Differences are counted as strings, for each sentence and in total; scores are those of
    `allennlp evaluate`. The page shows 25 sentences at a time: all, those with a given text or
    relation, or those with differences, the worst first. It also works without JavaScript, then
    with all sentences below each other.

      allennlp ud-view parsed.conllu
      allennlp ud-view en_ewt-ud-dev.conllu --out trees.html
      allennlp ud-view en_ewt-ud-dev.conllu --predicted parsed.conllu --out errors.html
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "file",
            help="CoNLL-U or brackets (.mrg), plain, .gz or .xz; with --predicted, the gold file",
        )
        parser.add_argument("--predicted", help="a second file of the same sentences, to compare")
        add_out(
            parser, "FILE", "the web page to write (default: trees in the terminal)", required=False
        )

    def run(self, args: argparse.Namespace) -> None:
        _view(args)


def _view(args: argparse.Namespace) -> None:
    if args.out is None:
        if args.predicted is not None:
            raise ConfigurationError(
                "Two files are compared in a web page: add --out errors.html, or omit --predicted."
            )
        for sentence in read_sentences(args.file):
            _write(ParsedSentence(sentence))
        return
    if Path(args.out).suffix.lower() not in _PAGES:
        raise ConfigurationError(f"--out is {args.out}. Name a web page that ends in .html.")
    _write_page(args)


def _write(sentence: ParsedSentence) -> None:
    has_arcs = any(word.head == 0 for word in sentence)
    trees = [sentence.to_tree()] if has_arcs else []
    trees += [phrases.text_of(tree_of(sentence.sentence))] if sentence.phrases else []
    sys.stdout.write("\n".join([sentence.text, "".join(trees) or "(no tree)\n", ""]))


def _write_page(args: argparse.Namespace) -> None:
    pairs = list(_pairs(args.file, args.predicted))
    golds = [gold for gold, _ in pairs]
    parses = [predicted for _, predicted in pairs if predicted is not None]
    columns = filled(golds) & filled(parses)
    with Tqdm.tqdm(pairs, desc="drawing", unit=" sentences") as bar:
        entries = [entry(n, gold, new, columns) for n, (gold, new) in enumerate(bar, start=1)]
    compared: dict[str, Any] = {}
    if args.predicted is not None:
        errors = Errors(list(zip(golds, parses)), columns)
        differences = _totals(entries, errors.words)
        compared = {"scores": _scores(errors), "words": errors.words, "differences": differences}
    page = render(
        "view.html",
        title=Path(args.file).name,
        entries=entries,
        is_compared=bool(compared),
        trees=listing(entries, bool(compared)),
        **compared,
    )
    write_whole(args.out, [page.encode()])


def _pairs(gold_path: str, predicted_path: Optional[str]) -> Iterator[Pair]:
    if predicted_path is None:
        yield from ((gold, None) for gold in read_sentences(gold_path))
        return
    yield from paired(gold_path, predicted_path)


def _scores(errors: Errors) -> list[tuple[str, str]]:
    if not errors.words:
        return []
    (words,) = errors.by_all()
    return [(name, f"{100 * right / words.words:.2f}") for name, right in words.right.items()]


def _totals(entries: Sequence[Entry], words: int) -> list[list[str]]:
    """
    Returns a row for each column (for roles and phrases only if some differ), and one for
    sentences.
    """
    rows = []
    for index, name in enumerate(COLUMNS):
        count = sum(entry.differences[index] for entry in entries)
        if count or name not in ("roles", "phrases"):
            rows.append([name, str(count), f"{100 * count / max(words, 1):.2f}%"])
    wrong = sum(any(entry.differences) for entry in entries)
    share = f"{100 * wrong / max(len(entries), 1):.2f}%"
    return [*rows, ["any, by sentence", str(wrong), share]]
