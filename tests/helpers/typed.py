"""Commands that pages tell users to type: parsed, not run."""

import argparse
import re

from allennlp.commands import Subcommand


def check_typed(words, page):
    known = {"--include-package"}
    for action in _parser(words[0])._actions:
        known.update(action.option_strings)
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, f"{page}: {words}"


def _parser(command):
    return Subcommand.by_name(command)().add_subparser(argparse.ArgumentParser().add_subparsers())
