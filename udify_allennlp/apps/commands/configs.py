"""`allennlp ud-configs`: the configs that are shipped."""

import argparse
import sys
import textwrap
from pathlib import Path

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.config.named import CONFIGS, named
from udify_allennlp.text.files import whole_file


@Subcommand.register("ud-configs")
class Configs(Subcommand):
    """
    The configs that are shipped. `train` takes each by its name; to change more than a few settings
    (`-o`), copy it. The parts that it imports are found from any folder.

      allennlp ud-configs
      allennlp ud-configs udify_small_cpu                # its text
      allennlp ud-configs udify_small_cpu --copy my.jsonnet
      allennlp train my.jsonnet -s out/my
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="List the configs that are shipped, or copy one to edit.",
        )
        subparser.add_argument("name", nargs="?", help="a config or a part, such as parts/encoder")
        subparser.add_argument("--copy", metavar="FILE", help="the file or folder to copy it to")
        subparser.set_defaults(func=_configs)
        return subparser


def _configs(args: argparse.Namespace) -> None:
    if args.name is None:
        if args.copy:
            raise ConfigurationError(
                "--copy copies a config. Name one: ud-configs NAME --copy FILE"
            )
        for path in sorted(CONFIGS.rglob("*.jsonnet")):
            name = str(path.relative_to(CONFIGS).with_suffix(""))
            text = textwrap.wrap(_summary(path), 92)
            sys.stdout.write("\n    ".join([name, *text]) + "\n")
        return
    source = named(args.name)
    if not args.copy:
        sys.stdout.write(source.read_text(encoding="utf-8"))
        return
    target = Path(args.copy)
    if target.is_dir():
        target /= source.name
    if target.exists():
        raise ConfigurationError(f"{target} exists. Name another file, or remove it first.")
    with whole_file(target) as file:
        file.write(source.read_bytes())
    sys.stdout.write(f"{target}\n")


def _summary(path: Path) -> str:
    """The first sentence of the comment at its top, on a line."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("// ") or line.startswith("//  "):
            break
        lines.append(line[3:])
    return " ".join(lines).split(". ")[0].rstrip(".")
