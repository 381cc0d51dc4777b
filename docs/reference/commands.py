"""
Each command of `allennlp` that is ours or that the tutorial needs, from its own parser, in the
order of `allennlp --help`.
"""

import argparse
import inspect
from collections.abc import Sequence

from allennlp.commands import Subcommand

from docs.reference.markdown import fence, prose, table
from udify_allennlp.apps.commands.command import Command
from udify_command.commands import ACTIONS, COMMANDS


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    """By name, the parsers of all commands of ours; behind each, those of its actions."""
    found: dict[str, argparse.ArgumentParser] = {}
    for name in COMMANDS:
        if name in Subcommand.list_available() and issubclass(Subcommand.by_name(name), Command):
            subparsers = argparse.ArgumentParser("allennlp").add_subparsers()
            found[name] = Subcommand.by_name(name)().add_subparser(subparsers)
            for action in found[name]._actions:
                if isinstance(action, argparse._SubParsersAction):
                    found.update({f"{name} {each}": it for each, it in action.choices.items()})
    return found


def markdown() -> str:
    """A section for each command and action."""
    return "\n".join(_section(*item) for item in command_parsers().items())


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    hidden = ("help", "include_package", argparse.SUPPRESS)
    actions = [a for a in parser._actions if not {a.dest, a.help} & {*hidden}]
    parts = [
        f"## {name}\n",
        fence(" ".join(["allennlp", name, *map(_spelled, _needed(parser, actions))]), "text"),
        # Behind an empty line the first line counts for the margin too, as in a docstring.
        prose(inspect.cleandoc("\n" + (parser.description or ""))),
    ]
    if name in ACTIONS:
        spelled = {f"{name} {each}": text for each, text in ACTIONS[name].items()}
        rows = [(f"[`{each}`](#{each.replace(' ', '-')})", text) for each, text in spelled.items()]
        return "\n".join([*parts, table(("action", "meaning"), rows)])
    rows = [(f"`{_spelled(action, short=True)}`", _meaning(action)) for action in actions]
    return "\n".join([*parts, table(("argument", "meaning"), rows)])


def _needed(
    parser: argparse.ArgumentParser, actions: Sequence[argparse.Action]
) -> list[argparse.Action]:
    groups = [group._group_actions for group in parser._mutually_exclusive_groups if group.required]
    either = [action for group in groups for action in group]
    return [action for action in actions if action.required or action in either]


def _spelled(action: argparse.Action, short: bool = False) -> str:
    """As it is typed; with its short form before it if `short`."""
    metavar = action.metavar or action.dest.upper()
    if not action.option_strings:
        return f"{metavar} ..." if action.nargs == "+" else str(metavar)
    option = ", ".join(action.option_strings) if short else action.option_strings[-1]
    if action.nargs == 0:
        return option
    if action.choices:
        metavar = "{" + ",".join(map(str, action.choices)) + "}"
    return f"{option} {metavar}"


def _meaning(action: argparse.Action) -> str:
    text = (action.help or "") % vars(action)  # as argparse does
    default = action.default
    shown = isinstance(default, (int, float, str)) and not isinstance(default, bool)
    # What depends on the machine, such as its GPUs, the help tells in words.
    if shown and default != "" and action.option_strings and "default" not in text:
        text = f"{text} (default = {default})"
    return f"{text} (required)" if action.required and action.option_strings else text
