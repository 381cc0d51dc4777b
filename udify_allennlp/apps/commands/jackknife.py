"""`allennlp ud-jackknife`: a treebank parsed by models that have not seen it."""

import argparse
import os
from pathlib import Path
from typing import List

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.studies.jackknife import jackknife
from udify_allennlp.apps.studies.runs import train_once


@Subcommand.register("ud-jackknife")
class Jackknife(Subcommand):
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

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Parse a training file with models that were trained on its other parts.",
        )
        subparser.add_argument("config", help="how each model is trained")
        subparser.add_argument("treebank", help="the training file, CoNLL-U")
        subparser.add_argument("--out", required=True, help="the folder of the result and the runs")
        subparser.add_argument(
            "--folds", type=int, default=5, help="how many parts (default: 5)", metavar="N"
        )
        subparser.add_argument(
            "-o", "--overrides", default="", help="settings to change in the config, as JSON"
        )
        subparser.add_argument(
            "--cuda-device", type=int, default=-1, help="of parsing (default: the processor)"
        )
        subparser.set_defaults(func=_jackknife)
        return subparser


def _jackknife(args: argparse.Namespace) -> None:
    if os.path.isdir(args.out) and os.path.samefile(args.out, Path(args.treebank).parent):
        raise ConfigurationError(
            f"--out is {args.out}, where {args.treebank} is: it would be replaced. Name another."
        )

    def train(paths: List[str], folder: Path) -> Path:
        params = Params.from_file(args.config, args.overrides, {"UD_TRAIN": paths[0]})
        return train_once(params, folder / "model", getattr(args, "include_package", ()))

    jackknife([args.treebank], Path(args.out), args.folds, train, args.cuda_device)
