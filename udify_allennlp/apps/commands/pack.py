"""`allennlp ud-pack MODEL --precision int8`: a smaller archive of a model."""

import argparse
import sys
from pathlib import Path

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.models.packed_weights import PRECISIONS, packed
from udify_allennlp.models.rewriting import rewritten

_CHECKPOINTS = ("model_state_*.th", "training_state_*.th", "best.th")


@Subcommand.register("ud-pack")
class PackModel(Subcommand):
    """
    Write the archive of a model with its weights in fewer bits: float16 is half the size, int8 a
    quarter (a scale for each row of each matrix), int4 an eighth (a scale for each 64 numbers). It
    is loaded as any other, into float32: with which precision a model parses is another question,
    see --precision of `allennlp ud-serve`.

      allennlp ud-pack out/ewt/model.tar.gz --precision int8
      allennlp ud-pack out/ewt --precision float16 --out ewt.tar.gz
      allennlp ud-pack out/ewt --precision float16 --only

    The last makes the archive the only copy in the folder of a finished run: what `allennlp train
    --recover` would need, and the weights beside it, are removed once it is written. The folder is
    still given to all commands as before.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Write a model's archive with weights in float16, int8 or int4.",
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
    rewritten(args.model, target, weights=lambda state: packed(state, args.precision))
    if args.only:
        for pattern in _CHECKPOINTS:
            for path in Path(args.model).glob(pattern):
                path.unlink()
    sys.stdout.write(f"{target}: {target.stat().st_size / 1e6:.0f} MB\n")


def _target(args: argparse.Namespace) -> Path:
    model = Path(args.model)
    if args.only:
        for name in ("model.tar.gz", "metrics.json"):  # the last is written when a run is over
            if not (model / name).is_file():
                raise ConfigurationError(
                    f"--only is for the folder of a run that is over, and {model} has no {name}. "
                    "Leave it out."
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
