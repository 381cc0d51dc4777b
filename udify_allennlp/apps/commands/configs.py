"""`allennlp ud-configs`: the shipped configs."""

import argparse
import fnmatch
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.config.named import CONFIGS, named
from udify_allennlp.text.files import whole_file

PURPOSES = {
    "Continue training the shipped model": "udify_from_multilingual udify_from_archive",
    "See how training works": "tiny",
    "One treebank, or a few": "udify_single_treebank udify_small_cpu udify_single_treebank_thesis",
    "Many treebanks at once": "udify udify_balanced udify_characters udify_xpos udify_large_gpu "
    "udify_multi_gpu udify_released_schedule",
    "Start from your own model": "udify_then_single_treebank* udify_student",
    "Lemmas and UniMorph tags (SIGMORPHON 2019)": "udify_sigmorphon*",
    "Words and sentences of raw text": "segmenter_from_multilingual segmenter",
    "Graph-to-graph parsers and semantic roles (Mohammadshahi 2023)": "graph2graph/*",
    "Languages without a treebank, by word vectors (Ahmad et al. 2019)": "static_vectors "
    "order_transfer/*",
    "Languages without a treebank, by typology (Ji et al. 2023)": "typology/*",
    "Encoders pretrained with treebanks (Sun et al. 2021)": "pretraining/*",
    "Constituents (Kitaev and Klein 2018)": "constituency/*",
    "Translation (SMaLL-100; Mohammadshahi 2023, chapter 6)": "translation/*",
    "How the shipped model was made": "multilingual/*",
}
"""Names and patterns of configs by purpose, in the order of the list."""
_INDENTED: dict[str, Any] = {"initial_indent": "      ", "subsequent_indent": "      "}


@Subcommand.register("ud-configs")
class Configs(Command):
    """
    List the shipped configs, or copy one. `train` takes each by its name; to change more than a few
    settings (`-o`), copy the config. The parts that it imports are found from any folder.

      allennlp ud-configs
      allennlp ud-configs udify_small_cpu                # print it
      allennlp ud-configs udify_small_cpu --copy my.jsonnet
      allennlp train my.jsonnet -s out/my
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="a config or a part, such as parts/encoder")
        parser.add_argument("--copy", metavar="FILE", help="the file or folder to copy it to")

    def run(self, args: argparse.Namespace) -> None:
        _configs(args)


def _configs(args: argparse.Namespace) -> None:
    if args.name is None:
        if args.copy:
            raise ConfigurationError(
                "--copy needs a config to copy. Name one: ud-configs NAME --copy FILE"
            )
        sys.stdout.write("\n".join(_section(*group) for group in by_purpose().items()))
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


def by_purpose() -> dict[str, list[str]]:
    """Returns the names of all shipped configs by purpose."""
    left = sorted(
        path.relative_to(CONFIGS).with_suffix("").as_posix() for path in CONFIGS.rglob("*.jsonnet")
    )
    groups: dict[str, list[str]] = {}
    for purpose, patterns in {**PURPOSES, "Others": "*"}.items():
        names = [name for pattern in patterns.split() for name in fnmatch.filter(left, pattern)]
        left = [name for name in left if name not in names]
        if names:
            groups[purpose] = names
    return groups


def _section(purpose: str, names: Sequence[str]) -> str:
    lines = [f"{purpose}:"]
    for name in names:
        text = _summary(CONFIGS / f"{name}.jsonnet")
        lines += [f"  {name}", *textwrap.wrap(text, 94, **_INDENTED)]
    return "\n".join(lines) + "\n"


def _summary(path: Path) -> str:
    """Returns the first sentence of the comment at the top of a config, on one line."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("// ") or line.startswith("//  "):
            break
        lines.append(line[3:])
    return re.split(r"(?<!et al)\. ", " ".join(lines))[0].rstrip(".")
