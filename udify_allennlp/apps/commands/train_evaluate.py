"""AllenNLP's own commands with help texts for treebanks."""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from allennlp.commands.evaluate import Evaluate
from allennlp.commands.subcommand import Subcommand
from allennlp.commands.train import Train, train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data.vocabulary import NAMESPACE_PADDING_FILE
from allennlp.training.util import create_serialization_dir

from udify_allennlp.apps.commands.command import AdaptedCommand
from udify_allennlp.apps.commands.error_report import add_options, evaluate
from udify_allennlp.apps.commands.options import check_batch_size, one_word, take_several
from udify_allennlp.archives.loading import ArchiveError, archive_in
from udify_allennlp.archives.run_folder import has_checkpoint, is_over, keep_archive_alone
from udify_allennlp.compat.devices import check_for_gpu
from udify_allennlp.config.settings import check_training
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.named_files import files_among
from udify_allennlp.text.output_checks import check_replaces_none, check_writable
from udify_allennlp.training.running_loss import NanLoss


@Subcommand.register("train", exist_ok=True)
class TrainParser(AdaptedCommand):
    """
    Train a model from a config. The shipped configs read their data from the environment:

      export UD_ENCODER=bert-base-multilingual-cased    # a hub name, or a folder
      export UD_TRAIN='ud/*/*-ud-train.conllu'          # files or globs, separated by commas
      export UD_DEV='ud/*/*-ud-dev.conllu'
      allennlp train udify -s out/udify

    The folder will hold model.tar.gz, metrics.json, config.json and out.log. Resume an interrupted
    run with the same command and --recover; the result is identical to an uninterrupted run.
    Checkpoints are removed at the end. With UD_DEV= (empty), no epoch is scored, and the weights of
    the last one are kept.
    """

    original = Train
    texts = {
        "param_path": "the name of a shipped config (ud-configs lists them), or a file",
        "serialization_dir": "the run folder",
        "recover": "resume the run in the folder",
        "force": "first delete the run in the folder",
        "overrides": "settings to change, as JSON: '{\"trainer.num_epochs\": 20}'",
        "dry_run": "read the data, print the numbers of labels, and stop",
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--keep-checkpoints",
            action="store_true",
            help="keep best.th and the last checkpoints next to model.tar.gz after the run",
        )

    def run(self, args: argparse.Namespace) -> None:
        _train(args)


def _train(args: argparse.Namespace) -> None:
    params = Params.from_file(args.param_path, args.overrides)
    settings = params.duplicate().as_dict(quiet=True)  # training takes apart what it is given
    check_training(settings)
    if not settings.get("validation_data_path"):
        sys.stderr.write(
            "No development data (UD_DEV is empty): no epoch is scored, and the last one is kept.\n"
        )
    check_for_gpu((settings.get("trainer") or {}).get("cuda_device"))
    folder = args.serialization_dir
    if not args.recover and not args.force and os.path.isdir(folder) and os.listdir(folder):
        raise ConfigurationError(
            f"{folder} already exists and is not empty. Specify --recover to resume the run in it, "
            "--force to delete that run first, or name another folder."
        )
    if args.recover and is_over(folder) and not has_checkpoint(folder):
        create_serialization_dir(params, folder, recover=True, force=False)  # compares the configs
        keep_archive_alone(folder)
        sys.stdout.write(f"This run is finished. The model: {folder}/model.tar.gz\n")
        return
    with _gone_if_it_cannot_start(folder, is_new=not os.path.exists(folder)):
        train_model(
            params=params,
            serialization_dir=folder,
            recover=args.recover,
            force=args.force,
            node_rank=args.node_rank,
            include_package=args.include_package,
            dry_run=args.dry_run,
            file_friendly_logging=args.file_friendly_logging,
        )
    if not args.dry_run and is_over(folder):
        sys.stdout.write(_stored(folder, settings))
        if not args.keep_checkpoints:
            keep_archive_alone(folder)
    if args.dry_run:
        for path in sorted(Path(args.serialization_dir, "vocabulary").glob("*_*.txt")):
            if path.name != NAMESPACE_PADDING_FILE:
                labels = path.read_text(encoding="utf-8").splitlines()
                sys.stdout.write(f"{path.stem}: {len(labels)}\n")


def _stored(folder: str, settings: dict[str, Any]) -> str:
    """Returns a message about the size of a run's archive, its cause, and how to reduce it."""
    size = Path(folder, "model.tar.gz").stat().st_size
    model, trainer = settings.get("model"), settings.get("trainer")
    older = model.get("archive") if isinstance(model, dict) else None
    start = Path(archive_in(older)) if older else None
    origin = ""
    if start is not None and start.is_file():
        origin = f" (it was started from one of {start.stat().st_size / 1e6:.1f} MB)"
    # Rounded to that in training, it loses nothing.
    rounded = trainer.get("stored_precision") if isinstance(trainer, dict) else None
    precision = rounded or "int8"
    return (
        f"Its size: {size / 1e6:.1f} MB, with weights in float32{origin}. For a smaller archive: "
        f"allennlp ud-pack {folder} --precision {precision}\n"
    )


@contextmanager
def _gone_if_it_cannot_start(folder: str, is_new: bool) -> Iterator[None]:
    """Removes a run folder if a user's error stops it before anything was learned."""
    try:
        yield
    except NanLoss:
        raise  # its log and curves say how it came to that
    except (ConfigurationError, InputError, ArchiveError, OSError):
        if is_new and not any(Path(folder).glob("*.th")):
            shutil.rmtree(folder, ignore_errors=True)
        raise


@Subcommand.register("evaluate", exist_ok=True)
class EvaluateTreebanks(AdaptedCommand):
    """
    Score a model by the CoNLL 2018 script: a row for each file and, for several, the macro average.

      allennlp evaluate out/udify/model.tar.gz 'ud/*/*-ud-test.conllu' --output-file scores.json
      allennlp evaluate out/udify/model.tar.gz en_ewt-ud-test.conllu --report out/errors

    A score is shown as - if it is missing in the gold data or the predictions; --official prints
    all scores of the script. Translations are scored against aligned files, named by one quoted
    glob:

      allennlp evaluate out/small100/model.tar.gz 'text/*/test.*' --output-file scores.json
    """

    original = Evaluate
    texts = {
        "output_file": "JSON file to write the scores to; several, separated by commas, for "
        "comma-separated inputs",
        "predictions_output_file": "CoNLL-U file to write the parsed sentences to; several, "
        "separated by commas, for comma-separated inputs",
        "overrides": 'settings to change, as JSON: \'{"model.precision": "bfloat16"}\'',
        "batch_size": "number of sentences per batch (default: the config's)",
        "auto_names": "name output files after comma-separated inputs: score files (METRICS), "
        "parsed sentences (PREDS), both (ALL) (default = NONE)",
    }
    hidden = ("batch_weight_key", "extend_vocab", "embedding_sources_mapping")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        take_several(parser, "input_file", "CoNLL-U with gold annotation")
        add_options(parser)

    def run(self, args: argparse.Namespace) -> None:
        args.input_file = one_word(args.input_file)
        _evaluate(args)


def _evaluate(args: argparse.Namespace) -> None:
    check_batch_size(args.batch_size)
    for names in (args.output_file, args.predictions_output_file):
        for name in (names or "").split(","):
            if name:
                check_writable(name)
                check_replaces_none(name, files_among([args.input_file]))
    evaluate(args)
