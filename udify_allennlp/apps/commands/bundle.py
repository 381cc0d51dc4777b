"""`allennlp ud-bundle PARSER SEGMENTER OUT`: an archive that parses raw text by itself."""

import argparse
import os
from pathlib import Path
from typing import Optional

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.archives.run_folder import WEIGHTS, archive_parts, model_folder, weights_file
from udify_allennlp.archives.unpacking import Member, Tar, open_tar
from udify_allennlp.segmenter.archive import FOLDER, segmenter_folder, segmenter_tokenizer


@Subcommand.register("ud-bundle")
class Bundle(Subcommand):
    """
    Put a segmenter into the archive of a parser. Raw text that this parser gets is then cut by it,
    unless --tokenizer says otherwise.

      allennlp ud-bundle out/ewt/model.tar.gz out/segmenter/model.tar.gz english.tar.gz
      allennlp predict english.tar.gz text.txt --lang en --output-file parsed.conllu
      allennlp ud-bundle out/ewt multilingual english.tar.gz     # the segmenter of another parser
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Put a segmenter into the archive of a parser.",
        )
        subparser.add_argument("parser", help="archive, or folder of a run")
        subparser.add_argument(
            "segmenter", help="archive, or folder of a run; or of a parser that has one"
        )
        subparser.add_argument("out", help="the archive to write, a name in .tar.gz")
        subparser.set_defaults(func=_bundle)
        return subparser


def _bundle(args: argparse.Namespace) -> None:
    if not args.out.endswith(".tar.gz"):
        raise ConfigurationError(f"{args.out} is no name of an archive. Let it end in .tar.gz.")
    segmenter_tokenizer(args.segmenter)  # it is one, and can be loaded
    with (
        model_folder(args.parser) as model,
        model_folder(args.segmenter) as segmenter,
        open_tar(args.out, "w:gz") as archive,
    ):
        _add(archive, segmenter_folder(segmenter), f"{FOLDER}/")
        _add(archive, model)


def _add(archive: Tar, folder: Path, prefix: str = "") -> None:
    archive.add(weights_file(folder), prefix + WEIGHTS[0])
    for name in sorted({*archive_parts(folder)} - {FOLDER}):
        archive.add(folder / name, prefix + name, filter=_visible)


def _visible(member: Member) -> Optional[Member]:
    """Without locks and scratch files."""
    return None if os.path.basename(member.name).startswith(".") else member
