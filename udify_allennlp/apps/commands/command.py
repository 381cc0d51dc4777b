"""The base class of our commands, `Command`."""

import argparse
import inspect
from typing import ClassVar

from allennlp.commands.subcommand import Subcommand

from udify_allennlp.apps.commands.options import COMMON_TEXTS, check_out
from udify_command.commands import ACTIONS, COMMANDS


class Action:
    """
    A command or subcommand. Its docstring is its description, `add_arguments` declares its
    arguments, `run` runs it.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        raise NotImplementedError

    def run(self, args: argparse.Namespace) -> None:
        raise NotImplementedError

    def prepare(self, parser: argparse.ArgumentParser) -> None:
        """Turns a new `parser` into the parser of this action."""
        parser.description = inspect.getdoc(self)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        self.add_arguments(parser)
        parser.set_defaults(func=self._checked_run)

    def _checked_run(self, args: argparse.Namespace) -> None:
        check_out(args)
        self.run(args)


class Command(Action, Subcommand):
    """
    A command, `allennlp NAME`, registered under its name; `udify_command/commands.py` has its help
    line. AllenNLP adds the option `--include-package`.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser: argparse.ArgumentParser = parser.add_parser(self.name, help=COMMANDS[self.name])
        self.prepare(subparser)
        return subparser


class AdaptedCommand(Command):
    """A command of AllenNLP, with further arguments and our help texts."""

    original: ClassVar[type[Subcommand]]
    texts: ClassVar[dict[str, str]] = {}
    """Help texts by destination, in addition to those that all commands share."""
    hidden: ClassVar[tuple[str, ...]] = ()
    """Destinations of options that the help omits: they work, but have no use with our models."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = self.original.add_subparser(self, parser)
        self.prepare(subparser)
        help_of = {**COMMON_TEXTS, **self.texts, **dict.fromkeys(self.hidden, argparse.SUPPRESS)}
        for action in subparser._actions:
            action.help = help_of.get(action.dest, action.help)
            if action.dest == "archive_file":
                action.metavar = "MODEL"
        return subparser


class CommandGroup(Command):
    """A command with several actions, `allennlp NAME ACTION`; `ACTIONS` holds their help lines."""

    actions: ClassVar[dict[str, type[Action]]]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
        for name, action in self.actions.items():
            subparser = subparsers.add_parser(name, help=ACTIONS[self.name][name])
            action().prepare(subparser)
            add_include_package(subparser)


def add_include_package(parser: argparse.ArgumentParser) -> None:
    """Adds the option that AllenNLP adds to commands to an action of a command."""
    parser.add_argument(
        "--include-package",
        action="append",
        default=argparse.SUPPRESS,  # not that of the command's own parser anew
        help="additional packages to include",
    )
