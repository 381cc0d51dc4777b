"""`allennlp ud-jackknife`: a treebank parsed by models that have not seen it."""

import argparse
import os
from pathlib import Path

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import add_cuda_device, add_out, add_overrides
from udify_allennlp.apps.studies.jackknife import jackknife
from udify_allennlp.apps.studies.runs import train_once


@Subcommand.register("ud-jackknife")
class Jackknife(Command):
    """
    Cut a training file into parts, train a model on all but one, parse that one, and so on. What a
    parser makes of the file it was trained on is far better than what it makes of any other: a
    refinement that learns from such trees learns to leave them alone. The result, in OUT under the
    file's own name, is what `predicted_deps` reads:

      UD_ENCODER=... UD_DEV=dev.conllu \\
      allennlp ud-jackknife training_config/udify_single_treebank.jsonnet train.conllu \\
        --out out/predicted --folds 5

    The config gets each training part as UD_TRAIN. An interrupted command goes on where it was when
    it is given again.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("config", help="how each model is trained")
        parser.add_argument("treebank", help="the training file, CoNLL-U")
        add_out(parser, "FOLDER", "the result and the runs", goes_on=True)
        parser.add_argument(
            "--folds", type=int, default=5, help="how many parts (default: 5)", metavar="N"
        )
        add_overrides(parser, "the config")
        add_cuda_device(parser, "of parsing")

    def run(self, args: argparse.Namespace) -> None:
        _jackknife(args)


def _jackknife(args: argparse.Namespace) -> None:
    if os.path.isdir(args.out) and Path(args.out).samefile(Path(args.treebank).parent):
        raise ConfigurationError(
            f"--out is {args.out}, where {args.treebank} is: it would be replaced. Name another."
        )

    def train(paths: list[str], folder: Path) -> Path:
        params = Params.from_file(args.config, args.overrides, {"UD_TRAIN": paths[0]})
        return train_once(params, folder / "model", getattr(args, "include_package", ()))

    jackknife([args.treebank], Path(args.out), args.folds, train, args.cuda_device)
