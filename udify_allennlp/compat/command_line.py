"""Fixes for the command line of AllenNLP 2.10.1."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from allennlp.commands import ArgumentParserWithDefaults, Subcommand, print_results
from allennlp.common.checks import ConfigurationError

from udify_command.commands import GONE
from udify_command.nearest import did_you_mean


def apply() -> None:
    """Applies every fix. Safe to call twice."""
    for name in GONE:
        Subcommand._registry[Subcommand].pop(name, None)
    ArgumentParserWithDefaults.add_argument = add_argument
    ArgumentParserWithDefaults.error = error
    print_results.print_results_from_args = print_results_from_args


def add_argument(self: Any, *args: Any, **kwargs: Any) -> None:
    """
    Adds an argument without AllenNLP's addition of the default to each help text, which repeats it
    or prints ==SUPPRESS== for options without one.
    """
    default, text = kwargs.get("default"), kwargs.get("help") or ""
    untold = "default" not in text and kwargs.get("action") not in self._action_defaults_to_ignore
    if untold and default is not argparse.SUPPRESS and not self._is_empty_default(default):
        kwargs["help"] = f"{text} (default = {default})"
    argparse.ArgumentParser.add_argument(self, *args, **kwargs)


def error(self: Any, message: str) -> None:
    """
    Prints argparse's error in one line, without the usage that argparse adds; for an unknown
    option, the nearest option is suggested.
    """
    command = self.prog
    kind, _, unknown = message.partition("unrecognized arguments: ")
    if unknown and not kind:
        # They are found by the parser above that of the command which was typed.
        parser = self
        for word in sys.argv[1:]:
            subparsers = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
            if not subparsers or word not in subparsers[0].choices:
                break
            parser = subparsers[0].choices[word]
        command = parser.prog
        message += "." + did_you_mean(unknown.split()[0], parser._option_string_actions)
    end = "" if message.endswith((".", "?")) else "."
    self.exit(2, f"{self.prog}: error: {message}{end} See: {command} --help\n")


def print_results_from_args(args: argparse.Namespace) -> None:
    """
    Runs AllenNLP's `print-results`, which fails without `--keys`: it then prints all metrics of the
    runs.

    # Raises

    `ConfigurationError` if it finds no run.
    """
    paths = sorted(Path(args.path).rglob(args.metrics_filename))
    if not paths:
        raise ConfigurationError(
            f"{args.path}: contains no {args.metrics_filename}. Name a folder of runs."
        )
    if args.keys is None:
        metrics = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        args.keys = list(dict.fromkeys(key for run_metrics in metrics for key in run_metrics))
    _print_results(args)


_print_results = print_results.print_results_from_args
