"""Mends of the command line of AllenNLP 2.10.1."""

import argparse
import sys
from typing import Any, Set

from allennlp.commands import ArgumentParserWithDefaults, Subcommand, test_install
from allennlp.common import plugins, util

from udify_allennlp.compat.lazy_imports import imported_later
from udify_command.commands import GONE
from udify_command.nearest import did_you_mean


def apply() -> None:
    """Applies every mend. Safe to call twice."""
    for name in GONE:
        Subcommand._registry[Subcommand].pop(name, None)
    ArgumentParserWithDefaults.add_argument = add_argument
    ArgumentParserWithDefaults.error = error
    mend_import_of_all()


def add_argument(self: Any, *args: Any, **kwargs: Any) -> None:
    """
    AllenNLP's adds the default to each help text, also to one that tells it, and for options that
    have none the word ==SUPPRESS==.
    """
    default, text = kwargs.get("default"), kwargs.get("help") or ""
    untold = "default" not in text and kwargs.get("action") not in self._action_defaults_to_ignore
    if untold and default is not argparse.SUPPRESS and not self._is_empty_default(default):
        kwargs["help"] = f"{text} (default = {default})"
    argparse.ArgumentParser.add_argument(self, *args, **kwargs)


def error(self: Any, message: str) -> None:
    """
    argparse's, in one line: it adds the usage, and of an unknown option that of the command without
    any. Of one the nearest is told instead, and of a word too many how several files are given.
    """
    command = self.prog
    kind, _, unknown = message.partition("unrecognized arguments: ")
    if unknown and not kind:
        # They are found by the parser above that of the command which was typed.
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and sys.argv[1:2]:
                command = f"{self.prog} {sys.argv[1]}"
                options = getattr(action.choices.get(sys.argv[1]), "_option_string_actions", {})
                message += "." + did_you_mean(unknown.split()[0], options)
        if not unknown.startswith("-"):
            message += " Several files are one argument: separate them by commas, or quote the glob"
    end = "" if message.endswith((".", "?")) else "."
    self.exit(2, f"{self.prog}: error: {message}{end} See: {command} --help\n")


def mend_import_of_all() -> None:
    """
    For plugins, AllenNLP imports all of itself, and with its parts about fairness scikit-learn and
    scipy; see `lazy_imports.py`.
    """
    original = util.import_module_and_submodules
    if hasattr(original, "mended"):
        return

    def import_module_and_submodules(package_name: str, exclude: Set[str] = frozenset()) -> None:  # type: ignore[assignment]
        with imported_later():
            original(package_name, set(exclude or ()))

    import_module_and_submodules.mended = True  # type: ignore[attr-defined]
    # Only where AllenNLP imports itself; `--include-package` imports packages of others.
    plugins.import_module_and_submodules = import_module_and_submodules
    test_install.import_module_and_submodules = import_module_and_submodules
