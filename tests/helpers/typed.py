"""Commands that pages tell users to type: parsed, not run."""

import argparse
import re

from allennlp.commands import Subcommand

from docs.reference.commands import command_parsers


def check_typed(words, page):
    parsers = command_parsers()
    name = " ".join(words[:2]) if " ".join(words[:2]) in parsers else words[0]
    parser = parsers.get(name)
    if parser is None:  # one of AllenNLP's own
        parser = Subcommand.by_name(name)().add_subparser(
            argparse.ArgumentParser().add_subparsers()
        )
    known = {"--include-package"}
    for action in parser._actions:
        known.update(action.option_strings)
        # A command of several actions is followed by one of them, or talked about as a whole.
        assert not isinstance(action, argparse._SubParsersAction) or words[1:] in ([], ["--help"])
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, f"{page}: {words}"
    old = {
        option
        for each in parser._actions
        if each.help == argparse.SUPPRESS
        for option in each.option_strings
    }
    assert not old & {*words}, f"{page}: {words}"
