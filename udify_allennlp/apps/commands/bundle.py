"""`allennlp ud-bundle MODEL SEGMENTER --out FILE`: an archive that parses raw text by itself."""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Optional

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_old, add_out
from udify_allennlp.archives.rewriting import forget_sources, write_json
from udify_allennlp.archives.run_folder import WEIGHTS, archive_parts, model_folder, weights_file
from udify_allennlp.archives.unpacking import Member, Tar, open_tar
from udify_allennlp.segmenter.archive import FOLDER, segmenter_folder, segmenter_tokenizer

_CONFIG = "config.json"


@Subcommand.register("ud-bundle")
class Bundle(Command):
    """
    Put a segmenter into the archive of a parser. The parser then uses it to split raw text into
    words and sentences, unless --tokenizer names another tokenizer.

      allennlp ud-bundle out/ewt/model.tar.gz out/segmenter/model.tar.gz --out english.tar.gz
      allennlp predict english.tar.gz text.txt --lang en --output-file parsed.conllu
      allennlp ud-bundle out/ewt multilingual --out english.tar.gz   # another parser's segmenter
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("parser", metavar="MODEL", help=MODEL)
        parser.add_argument(
            "segmenter", metavar="SEGMENTER", help="a segmenter, or a model that contains one"
        )
        out = parser.add_mutually_exclusive_group(required=True)
        add_out(
            out, "FILE", "the archive to write, with a name that ends in .tar.gz", required=False
        )
        add_old(out, "OUT", "--out")

    def run(self, args: argparse.Namespace) -> None:
        _bundle(args)


def _bundle(args: argparse.Namespace) -> None:
    if not args.out.endswith(".tar.gz"):
        raise ConfigurationError(
            f"{args.out} is not the name of an archive. Use a name that ends in .tar.gz."
        )
    segmenter_tokenizer(args.segmenter)  # it is one, and can be loaded
    with (
        model_folder(args.parser) as model,
        model_folder(args.segmenter) as segmenter,
        open_tar(args.out, "w:gz") as archive,
        tempfile.TemporaryDirectory() as scratch,
    ):
        part = segmenter_folder(segmenter)
        config = json.loads((part / _CONFIG).read_text(encoding="utf-8"))
        forget_sources(config)
        write_json(Path(scratch, _CONFIG), config)
        _add(archive, part, Path(scratch, _CONFIG), f"{FOLDER}/")
        _add(archive, model, model / _CONFIG)


def _add(archive: Tar, folder: Path, config: Path, prefix: str = "") -> None:
    """Adds the parts of a model, whose config is the file `config`."""
    archive.add(weights_file(folder), prefix + WEIGHTS[0])
    for name in sorted({*archive_parts(folder)} - {FOLDER}):
        source = config if name == _CONFIG else folder / name
        archive.add(source, prefix + name, filter=_visible)


def _visible(member: Member) -> Optional[Member]:
    """Omits locks and scratch files."""
    return None if os.path.basename(member.name).startswith(".") else member
