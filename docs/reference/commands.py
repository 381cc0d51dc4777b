"""Each command of `allennlp` that is ours or that the tutorial needs, from its own parser."""

import argparse
import inspect
from typing import List

from allennlp.commands import Subcommand

from docs.reference.markdown import fence, prose, table

OF_ALLENNLP = ("train", "predict", "evaluate")


def command_names() -> List[str]:
    """AllenNLP's three, then all of ours."""
    ours = (name for name in Subcommand.list_available() if name.startswith("ud-"))
    return [*OF_ALLENNLP, *sorted(ours)]


def markdown() -> str:
    """A section for each command."""
    return "\n".join(map(_section, command_names()))


def _section(name: str) -> str:
    subparsers = argparse.ArgumentParser("allennlp").add_subparsers()
    parser = Subcommand.by_name(name)().add_subparser(subparsers)
    hidden = ("help", argparse.SUPPRESS)
    actions = [a for a in parser._actions if not {a.dest, a.help} & {*hidden}]
    needed = [action for action in actions if action.required]
    usage = " ".join(["allennlp", name, *map(_spelled, needed)])
    rows = [(f"`{_spelled(action, short=True)}`", _meaning(action)) for action in actions]
    parts = [
        f"## {name}\n",
        fence(usage, "text"),
        # Behind an empty line the first line counts for the margin too, as in a docstring.
        prose(inspect.cleandoc("\n" + (parser.description or ""))),
        table(("argument", "meaning"), rows),
    ]
    return "\n".join(parts)


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
