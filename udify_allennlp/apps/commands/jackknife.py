"""`allennlp ud-jackknife`: a treebank parsed by models that have not seen it."""

import argparse
import os
from pathlib import Path
from typing import List

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params, Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.experiments.runs import train_once
from udify_allennlp.predictors import load_predictor
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences


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
    sentences = list(read_sentences(args.treebank))
    if not 2 <= args.folds <= len(sentences):
        raise ConfigurationError(
            f"--folds is {args.folds}; {args.treebank} has {len(sentences)} sentences. "
            "Take 2 to that many."
        )
    if os.path.isdir(args.out) and os.path.samefile(args.out, Path(args.treebank).parent):
        raise ConfigurationError(
            f"--out is {args.out}, where {args.treebank} is: it would be replaced. Name another."
        )
    parsed: List[Sentence] = []
    # Neighbours stay together: sentences of one document are alike.
    borders = [len(sentences) * fold // args.folds for fold in range(args.folds + 1)]
    for fold, (start, end) in enumerate(zip(borders, borders[1:])):
        others, own = sentences[:start] + sentences[end:], sentences[start:end]
        parsed += _parsed(args, Path(args.out) / "folds" / str(fold), others, own)
    write_sentences(parsed, str(Path(args.out) / Path(args.treebank).name))


def _parsed(
    args: argparse.Namespace, folder: Path, others: List[Sentence], own: List[Sentence]
) -> List[Sentence]:
    """`own`, parsed by a model of the `others`."""
    folder.mkdir(parents=True, exist_ok=True)
    training = folder / "train.conllu"
    text = "".join(sentence.text for sentence in others).encode()
    if training.exists() and training.read_bytes() != text:
        raise ConfigurationError(
            f"{training} is of another treebank, or of other folds. Remove {args.out}, or name "
            "another --out."
        )
    write_sentences(others, str(training))
    params = Params.from_file(args.config, args.overrides, {"UD_TRAIN": str(training)})
    run = train_once(params, folder / "model", getattr(args, "include_package", ()))
    parser = load_predictor(run, args.cuda_device)
    bar = Tqdm.tqdm(parser.parse(own), total=len(own), desc="parsing", unit=" sentences")
    return list(bar)
