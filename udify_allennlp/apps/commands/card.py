"""`allennlp ud-card MODEL`: the model card."""

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.screen import show_pairs
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL
from udify_allennlp.archives.card import Card, card_of, is_silver
from udify_allennlp.text.languages import LANGUAGES, language_name

_UNKNOWN = "unknown"


@Subcommand.register("ud-card")
class ModelCard(Command):
    """
    Show the training data and scores of a model: its languages, its treebanks with their sentences
    and words, silver treebanks (named xx_silver) separately, its raw texts with their licences, the
    scores of its best epoch on the development data, the date, and versions. A model whose training
    did not finish is marked as unfinished. No code in the archive is run, and its weights are not
    loaded.

      allennlp ud-card out/ewt/model.tar.gz
      allennlp ud-card out/ewt/model.tar.gz --json
      allennlp ud-card --languages                    # all languages, by code and name

    A model of an earlier release has no card: its treebanks are then read from its config, if that
    names their files one by one.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", nargs="?", metavar="MODEL", help=MODEL)
        parser.add_argument("--json", action="store_true", help="print JSON, for programs")
        parser.add_argument(
            "--languages",
            action="store_true",
            help="list only the languages, one per line; without MODEL, list all languages that "
            "--lang takes",
        )

    def run(self, args: argparse.Namespace) -> None:
        _show(args)


def _show(args: argparse.Namespace) -> None:
    if not args.model and (args.json or not args.languages):
        raise ConfigurationError("A card describes a model. Name one, or use --languages alone.")
    if not args.model:
        sys.stdout.write(_listed(LANGUAGES))
        return
    card = card_of(args.model)
    if args.languages:
        sys.stdout.write(_listed(card.languages))
        return
    if not args.json and sys.stdout.isatty():
        show_pairs(list(_rows(card)))
        return
    if args.json:
        text = json.dumps(card.to_dict(), ensure_ascii=False, indent=1)
    else:
        text = "\n".join(_line(name, value) for name, value in _rows(card))
    sys.stdout.write(text + "\n")


def _listed(codes: Iterable[str]) -> str:
    return "".join(f"{code:<4} {language_name(code)}\n" for code in codes)


def _rows(card: Card) -> Iterator[tuple[str, str]]:
    names = [f"{language_name(code)} ({code})" for code in card.languages]
    yield "languages", f"{len(names)}: {', '.join(sorted(names))}" if names else _UNKNOWN
    yield "encoder", card.encoder or _UNKNOWN
    yield "tasks", ", ".join(card.tasks) or _UNKNOWN
    scores = [f"{name} {value:.2f}" for name, value in card.scores.items() if name != "loss"]
    yield "scores", f"{', '.join(scores)} (development data)" if scores else _UNKNOWN
    yield "date", card.date or _UNKNOWN
    versions = [f"{name} {version}" for name, version in card.versions.items()]
    yield "versions", ", ".join(versions) or _UNKNOWN
    if card.unfinished:
        yield "unfinished", f"training did not finish: it stopped at {card.unfinished}"
    if card.started_from:
        gold, silver = _apart(card.started_from)
        plural = "" if len(silver) == 1 else "s"
        more = f", and {len(silver)} silver treebank{plural}" if silver else ""
        yield "fine-tuned", f"from a model of {', '.join(gold)}{more}"
    if card.corpora:
        yield "raw texts", f"{len(card.corpora)}"
    for name, licence in card.corpora.items():
        yield "", f"{name:<24}{licence or 'licence unknown'}"
    gold, silver = _apart(card.treebanks)
    yield "treebanks", f"{len(gold)}" if card.treebanks else _UNKNOWN
    yield from _counts(card, gold)
    if silver:
        yield "silver", f"{len(silver)} (raw texts parsed by another model)"
        yield from _counts(card, silver)


def _apart(treebanks: Iterable[str]) -> tuple[list[str], list[str]]:
    """Returns the names of gold treebanks, and those of silver ones."""
    names = list(treebanks)
    return [n for n in names if not is_silver(n)], [n for n in names if is_silver(n)]


def _counts(card: Card, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        yield "", f"{name:<24}{_counted(card.treebanks[name])}".rstrip()


def _counted(counts: dict[str, int]) -> str:
    return "".join(f"{count:>10,} {unit}" for unit, count in counts.items())


def _line(name: str, value: str) -> str:
    margin = " " * 12
    lines: list[str] = textwrap.wrap(value, 88, break_long_words=False, break_on_hyphens=False)
    return name.ljust(12) + f"\n{margin}".join(lines if name else [value])
