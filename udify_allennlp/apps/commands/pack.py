"""`allennlp ud-pack MODEL --precision int8`: a smaller archive of a model."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_files, add_out
from udify_allennlp.apps.commands.pack_calibration import measured_scales
from udify_allennlp.archives.loading import load_archive
from udify_allennlp.archives.rewriting import State, rewritten
from udify_allennlp.archives.run_folder import INITIAL, is_over, keep_archive_alone
from udify_allennlp.compression.pruning import prune
from udify_allennlp.data.tasks import LANG
from udify_allennlp.kernels.packed_weights import STORED_PRECISIONS, packed, with_input_scales
from udify_allennlp.models.vocabulary_pruning import keep_pieces
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.named_files import files_of
from udify_allennlp.text.raw_text import read_lines
from udify_allennlp.typology.encoder import TypologyEncoder

_EMBEDDER = "embedder."
_GENERATED = tuple(f"{_EMBEDDER}{part}." for part in ("generators", "maps", "value_vectors"))
"""What makes positions, and is not needed once they are made."""


@Subcommand.register("ud-pack")
class PackModel(Command):
    """
    Write the archive of a model with its weights in fewer bits: float16 is half the size, int8 a
    quarter (a scale for each row of each matrix), int4 an eighth (a scale for each 64 numbers). It
    is loaded as any other, into float32: with which precision a model parses is another question,
    see --precision of `allennlp ud-serve`. Models that are no parsers are packed in the same way.

      allennlp ud-pack out/ewt/model.tar.gz --precision int8
      allennlp ud-pack out/ewt --precision float16 --out ewt.tar.gz
      allennlp ud-pack out/ewt --precision float16 --only
      allennlp ud-pack out/typology --precision float32 --languages fo,is,en
      allennlp ud-pack out/udify --precision int4 --words 'ud/*/*-train.conllu,wiki.*.txt' --least 2
      allennlp ud-pack out/ewt --prune 0.3
      allennlp ud-pack out/ewt --precision int8 --calibrate ud/en_ewt-ud-dev.conllu

    --only writes over the archive in the folder of a finished run, and removes checkpoints beside
    it, as training does at its end. The folder is still given to all commands as before.

    --words keeps the wordpieces that the words of treebanks, or of raw texts between spaces, have
    at least --least times; single characters are kept, too, so that any word can still be read.
    Half of a multilingual encoder's weights are its table of wordpieces.

    --prune sets that share of the weights of each layer to zero, those of smallest magnitude
    (Mohammadshahi 2023, section 5.2.2). It shows what a model can lose: zeros are stored and
    computed like other numbers, so the archive is smaller only once a program compresses it. With
    --precision, what is left is rounded.

    --calibrate is for --precision int8: the model then also computes in 8 bits. It measures, on
    treebanks of a parser or aligned text of a translation model, how large the inputs of linear
    layers are, and keeps the scale for each that rounds them with the least error. A few hundred
    sentences are enough. `ud-forgotten` shows what a smaller model has lost.

    The first parser in the archive of a refiner is packed as the refiner is.

    --languages is for models that make positions from typology (udify_typology_positions): those of
    these languages are kept, and what makes them is left out. Other languages cannot be parsed with
    that archive.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help=MODEL)
        parser.add_argument(
            "--precision",
            choices=STORED_PRECISIONS,
            help="precision of the weights in the archive (with --prune, default = float32)",
        )
        share = "share of the weights of each layer to set to zero, such as 0.3"
        parser.add_argument("--prune", type=float, metavar="SHARE", help=share)
        inputs = "compute in int8, with scales measured on these treebanks or aligned texts"
        add_files(parser, "--calibrate", inputs, required=False)
        parser.add_argument(
            "--languages", help="keep the positions of these languages alone, such as fo,is"
        )
        words = "keep the wordpieces of these treebanks and texts (.txt) alone"
        add_files(parser, "--words", words, required=False)
        parser.add_argument(
            "--least",
            type=int,
            metavar="N",
            help="minimum count for a wordpiece to be kept; default: 1",
        )
        target = parser.add_mutually_exclusive_group()
        where = "an archive (default: beside the model, such as model.int8.tar.gz)"
        add_out(target, "FILE", where, required=False)
        target.add_argument(
            "--only",
            action="store_true",
            help="write it over model.tar.gz in the folder of a run, and remove its checkpoints",
        )

    def run(self, args: argparse.Namespace) -> None:
        _pack(args)


def _pack(args: argparse.Namespace) -> None:
    if args.precision is None and args.prune is None:
        raise ConfigurationError("Nothing to do: give --precision, or --prune.")
    if args.calibrate and args.precision != "int8":
        raise ConfigurationError("--calibrate is for --precision int8. Add it, or leave it out.")
    args.precision = args.precision or "float32"
    target = _target(args)
    if args.least is not None and (args.least < 1 or not args.words):
        raise ConfigurationError(
            "--least is for --words, and at least 1. Mend it, or leave it out."
        )
    paths = files_of(args.words, (".conllu", ".txt")) if args.words else []

    _write(args, paths, args.model, target)
    if args.only:
        keep_archive_alone(args.model)
    sys.stdout.write(f"{target}: {target.stat().st_size / 1e6:.1f} MB\n")


def _write(args: argparse.Namespace, paths: list[str], model: str, target: Path) -> None:
    """The model, packed, and the one in its archive whose trees it refines."""

    def change(folder: Path, config: dict[str, Any], state: State) -> State:
        scales: State = {}
        if args.prune is not None or args.calibrate:
            # In float32, whatever its config says: other precisions do not keep the weights.
            is_lowered = "precision" in config["model"]
            archive = load_archive(
                model, overrides={"model.precision": "float32"} if is_lowered else ""
            )
            if args.prune is not None:
                prune(archive.model, args.prune)
                state.clear()
                state.update(archive.model.state_dict())
            if args.calibrate:
                scales = measured_scales(archive, model, args.calibrate)
        if args.languages:
            _keep_languages(args, config, state)
        if paths:
            loaded = load_archive(model).model  # a parser or not
            keep_pieces(loaded, _words(paths), args.least or 1, folder, state)
        initial = folder / INITIAL
        if initial.is_file():
            _write(args, paths, str(initial), initial)
        return with_input_scales(packed(state, args.precision), scales)

    rewritten(model, target, change)


def _words(paths: list[str]) -> Iterator[str]:
    for path in paths:
        if is_text(path):
            for line in read_lines(path):
                yield from line.split()
        else:
            for sentence in read_sentences(path):
                yield from sentence.forms


def _keep_languages(args: argparse.Namespace, config: dict[str, Any], state: State) -> None:
    """Change the config and the weights so that positions of languages are kept."""
    predictor = load_predictor(args.model)
    encoder = predictor.model.embedder
    if not isinstance(encoder, TypologyEncoder):
        raise ConfigurationError(
            f"--languages is for models that make positions from typology, and {args.model} is "
            "none. Leave it out."
        )
    told = [predictor.origins_of(predictor.language(lang)) for lang in args.languages.split(",")]
    langs = list(dict.fromkeys(origins[LANG] for origins in told))
    keep_positions(encoder, langs, config["model"], state)


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
        raise ConfigurationError(
            f"{model}: no such file or folder. Give it, or --out for a URL or a name."
        )
    stem = model / "model" if model.is_dir() else model.with_name(model.name.split(".tar")[0])
    pruned = "" if args.prune is None else f".pruned{args.prune:g}"
    rounded = "" if pruned and args.precision == "float32" else f".{args.precision}"
    return stem.with_name(f"{stem.name}{pruned}{rounded}.tar.gz")


def keep_positions(
    encoder: TypologyEncoder,
    langs: Sequence[str],
    config: dict[str, Any],
    state: dict[str, torch.Tensor],
) -> None:
    """
    Change the config of a model and its weights so that it has the positions of `langs` and no
    generator, as Ji et al. (2023, appendix B) count the weights of inference.

    # Parameters

    encoder : `TypologyEncoder`
        That of the model, loaded.
    langs : `Sequence[str]`
    config : `Dict[str, Any]`
        Of the model, with its `embedder`; changed.
    state : `Dict[str, torch.Tensor]`
        Weights by name; changed.

    # Raises

    `ConfigurationError` if a language has no features.
    """
    with torch.no_grad():
        tables = encoder.position_vectors(langs)
    for name in [name for name in state if name.startswith(_GENERATED)]:
        del state[name]
    for number, table in enumerate(tables):
        state[f"{_EMBEDDER}generators.{number}.tables"] = table.cpu().contiguous()
    config["embedder"].update(generator={"type": "per_language"}, languages=list(langs))
    config["embedder"].pop("position_dim", None)
