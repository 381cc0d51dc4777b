"""`allennlp ud-pack MODEL --precision int8`: a smaller archive of a model."""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import archive_model

from udify_allennlp.models.card import FILE, read_card
from udify_allennlp.models.packed_weights import PRECISIONS, packed
from udify_allennlp.models.run_folder import (
    archive_parts,
    is_over,
    keep_archive_alone,
    load_weights,
    model_folder,
)

_KNOWN = ("config.json", "meta.json", "vocabulary", "weights.th", FILE)


@Subcommand.register("ud-pack")
class PackModel(Subcommand):
    """
    Write the archive of a model with its weights in fewer bits: float16 is half the size, int8 a
    quarter (a scale for each row of each matrix). It is loaded as any other, into float32: with
    which precision a model parses is another question, see --precision of `allennlp ud-serve`.

      allennlp ud-pack out/ewt/model.tar.gz --precision int8
      allennlp ud-pack out/ewt --precision float16 --out ewt.tar.gz
      allennlp ud-pack out/ewt --precision float16 --only

    The last writes over the archive in the folder of a finished run, and removes checkpoints beside
    it, as training does at its end. The folder is still given to all commands as before.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Write a model's archive with weights in float16 or int8.",
        )
        subparser.add_argument("model", help="archive, or folder of a run")
        subparser.add_argument(
            "--precision", choices=PRECISIONS, required=True, help="of the weights in the archive"
        )
        target = subparser.add_mutually_exclusive_group()
        target.add_argument(
            "--out",
            metavar="FILE",
            help="the archive to write (default: beside the model, such as model.int8.tar.gz)",
        )
        target.add_argument(
            "--only",
            action="store_true",
            help="write it over model.tar.gz in the folder of a run, and remove its checkpoints",
        )
        subparser.set_defaults(func=_pack)
        return subparser


def _pack(args: argparse.Namespace) -> None:
    target = _target(args)
    with model_folder(args.model) as source, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in archive_parts(source):
            _copy(source / name, folder / name)
        text = json.dumps(read_card(source).to_dict(), ensure_ascii=False, indent=1)
        (folder / FILE).write_text(text, encoding="utf-8")
        state = packed(load_weights(source), args.precision)
        torch.save(state, folder / "weights.th")
        extra = [path.name for path in folder.iterdir() if path.name not in _KNOWN]
        archive_model(folder, "weights.th", target, include_in_archive=[*sorted(extra), FILE])
    if args.only:
        keep_archive_alone(args.model)
    sys.stdout.write(f"{target}: {target.stat().st_size / 1e6:.0f} MB\n")


def _target(args: argparse.Namespace) -> Path:
    model = Path(args.model)
    if args.only:
        if not is_over(model):
            raise ConfigurationError(
                f"--only is for the folder of a run that is over, which has a model.tar.gz and a "
                f"metrics.json, and {model} has not. Leave it out."
            )
        return model / "model.tar.gz"
    if args.out:
        target = Path(args.out)
        if target.is_dir() or not target.name.endswith(".tar.gz"):
            raise ConfigurationError(f"--out is {target}. Name a file that ends in .tar.gz.")
        return target
    if not model.exists():
        raise ConfigurationError(f"{model}: no such file or folder. Give it, or --out for a URL.")
    stem = model / "model" if model.is_dir() else model.with_name(model.name.split(".tar")[0])
    return stem.with_name(f"{stem.name}.{args.precision}.tar.gz")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
