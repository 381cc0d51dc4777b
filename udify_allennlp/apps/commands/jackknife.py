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
    Split a training file into parts, and parse each part with a model that is trained on the
    others. A parser does far better on its training file than on any other file, so a refinement
    model that learns from such parses learns to leave trees unchanged. The result, in OUT under the
    name of the training file, is the input of `predicted_deps`:

      UD_ENCODER=... UD_DEV=dev.conllu \\
      allennlp ud-jackknife training_config/udify_single_treebank.jsonnet train.conllu \\
        --out out/predicted --folds 5

    The config receives each set of training parts as UD_TRAIN. After an interruption, the same
    command continues where it stopped.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("config", help="the config of the models, by name or file")
        parser.add_argument("treebank", help="the training file, CoNLL-U")
        add_out(parser, "FOLDER", "the result and the runs", goes_on=True)
        parser.add_argument(
            "--folds", type=int, default=5, help="number of parts (default: 5)", metavar="N"
        )
        add_overrides(parser, "the config")
        add_cuda_device(parser, "used for parsing")

    def run(self, args: argparse.Namespace) -> None:
        _jackknife(args)


def _jackknife(args: argparse.Namespace) -> None:
    if os.path.isdir(args.out) and Path(args.out).samefile(Path(args.treebank).parent):
        raise ConfigurationError(
            f"--out is {args.out}, the folder of {args.treebank}, which would be replaced. Name "
            "another folder."
        )

    def train(paths: list[str], folder: Path) -> Path:
        params = Params.from_file(args.config, args.overrides, {"UD_TRAIN": paths[0]})
        return train_once(params, folder / "model", getattr(args, "include_package", ()))

    jackknife([args.treebank], Path(args.out), args.folds, train, args.cuda_device)
