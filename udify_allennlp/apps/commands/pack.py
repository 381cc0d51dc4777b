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
from udify_allennlp.archives import shipped
from udify_allennlp.archives.loading import load_archive
from udify_allennlp.archives.rewriting import State, rewritten
from udify_allennlp.archives.run_folder import INITIAL, fetched, is_over, keep_archive_alone
from udify_allennlp.compression.pruning import prune
from udify_allennlp.data.columns import LANG
from udify_allennlp.kernels.packed_weights import STORED_PRECISIONS, packed, with_input_scales
from udify_allennlp.models.new_letters import add_letters
from udify_allennlp.models.vocabulary_pruning import keep_pieces
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.named_files import files_of
from udify_allennlp.text.raw_text import read_lines
from udify_allennlp.typology.encoder import TypologyEncoder

_EMBEDDER = "embedder."
_GENERATED = tuple(f"{_EMBEDDER}{part}." for part in ("generators", "maps", "value_vectors"))
"""Prefixes of the weights that generate positions; they are not needed afterwards."""


@Subcommand.register("ud-pack")
class PackModel(Command):
    """
    Write the archive of a model with its weights in fewer bits: float16 is half the size, int8 a
    quarter (a scale for each row of each matrix), int4 an eighth (a scale for each 64 numbers). It
    is loaded like any other, into float32; --precision of `allennlp ud-serve` sets the precision of
    parsing. Models of other kinds can be packed in the same way.

      allennlp ud-pack out/ewt/model.tar.gz --precision int8
      allennlp ud-pack out/ewt --precision float16 --out ewt.tar.gz
      allennlp ud-pack out/ewt --precision float16 --only
      allennlp ud-pack out/typology --precision float32 --languages fo,is,en
      allennlp ud-pack out/udify --precision int4 --words 'ud/*/*-train.conllu,wiki.*.txt' --least 2
      allennlp ud-pack multilingual --precision float32 --letters cop-ud-train.conllu --out x.tar.gz
      allennlp ud-pack out/ewt --prune 0.3
      allennlp ud-pack out/ewt --precision int8 --calibrate ud/en_ewt-ud-dev.conllu

    --only overwrites the archive in the folder of a finished run and removes the checkpoints next
    to it, as training does at its end. All commands take the folder as before.

    --words keeps the wordpieces that occur at least --least times in the words of treebanks, or in
    the space-separated words of raw texts; single characters are kept, too, so that any word can
    still be encoded. Half of a multilingual encoder's weights are its table of wordpieces.

    --letters adds a wordpiece for each letter that occurs at least --least times in the words of
    treebanks or texts and that the encoder lacks: words with such letters are unknown to it, whole
    scripts among them. Train the result further on these treebanks; of other words nothing changes.

    --prune sets the given share of each layer's weights to zero, those of smallest magnitude
    (Mohammadshahi 2023, section 5.2.2). It shows what a model can lose: zeros take as much room and
    time as other numbers. With --precision, the remaining weights are rounded.

    --calibrate needs --precision int8 and makes the model compute in 8 bits as well. It measures
    the inputs of linear layers on treebanks (parsers) or aligned texts (translation models), and
    keeps for each layer the scale with the least rounding error. A few hundred sentences are
    enough. `ud-forgotten` compares the result with the model.

    The initial parser in the archive of a refinement model is packed in the same way.

    --languages is for models that make positions from typology (udify_typology_positions): only the
    positions of these languages are kept, without their generator. The archive cannot parse other
    languages.
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
            "--languages", help="keep only the positions of these languages, such as fo,is"
        )
        words = "keep only the wordpieces of these treebanks and texts (.txt)"
        add_files(parser, "--words", words, required=False)
        letters = "add the letters of these treebanks and texts (.txt) that the encoder lacks"
        add_files(parser, "--letters", letters, required=False)
        parser.add_argument(
            "--least",
            type=int,
            metavar="N",
            help="minimum count for a wordpiece to be kept, or a letter to be added (default = 1)",
        )
        target = parser.add_mutually_exclusive_group()
        where = "the archive to write (default: next to the model, such as model.int8.tar.gz)"
        add_out(target, "FILE", where, required=False)
        target.add_argument(
            "--only",
            action="store_true",
            help="overwrite model.tar.gz in a run folder, and remove its checkpoints",
        )

    def run(self, args: argparse.Namespace) -> None:
        _pack(args)


def _pack(args: argparse.Namespace) -> None:
    if args.precision is None and args.prune is None:
        raise ConfigurationError("Nothing to do: add --precision or --prune.")
    if args.calibrate and args.precision != "int8":
        raise ConfigurationError(
            "--calibrate is for --precision int8. Add it, or remove --calibrate."
        )
    args.precision = args.precision or "float32"
    target = _target(args)
    if args.words and args.letters:
        raise ConfigurationError(
            "--words removes wordpieces, --letters adds some. Use one of them."
        )
    named = args.words or args.letters
    if args.least is not None and (args.least < 1 or not named):
        raise ConfigurationError(
            f"--least is {args.least}. It requires --words or --letters and must be at least 1."
        )
    paths = files_of(named, (".conllu", ".txt")) if named else []

    _write(args, paths, args.model, target)
    if args.only:
        keep_archive_alone(args.model)
    sys.stdout.write(f"{target}: {target.stat().st_size / 1e6:.1f} MB\n")
    before = Path(fetched(args.model))
    if before.is_file() and target.stat().st_size > 0.99 * before.stat().st_size:
        sys.stdout.write(f"It is as large as {args.model}, whose weights may be packed already.\n")


def _write(args: argparse.Namespace, paths: list[str], model: str, target: Path) -> None:
    """Writes the packed model, and packs the model in its archive whose trees it refines."""

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
            change_pieces = add_letters if args.letters else keep_pieces
            change_pieces(loaded, _words(paths), args.least or 1, folder, state)
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
    """Changes the config and the weights so that only the positions of some languages are kept."""
    predictor = load_predictor(args.model)
    encoder = predictor.model.embedder
    if not isinstance(encoder, TypologyEncoder):
        raise ConfigurationError(
            f"--languages is for models that make positions from typology, and {args.model} does "
            "not. Omit it."
        )
    told = [predictor.origins_of(predictor.language(lang)) for lang in args.languages.split(",")]
    langs = list(dict.fromkeys(origins[LANG] for origins in told))
    keep_positions(encoder, langs, config["model"], state)


def _target(args: argparse.Namespace) -> Path:
    model = Path(args.model)
    if args.only:
        if not is_over(model):
            raise ConfigurationError(
                "--only is for the folder of a finished run, with model.tar.gz and metrics.json, "
                f"and {model} lacks these. Omit it."
            )
        return model / "model.tar.gz"
    if args.out:
        target = Path(args.out)
        if target.is_dir() or not target.name.endswith(".tar.gz"):
            raise ConfigurationError(f"--out is {target}. Name a file that ends in .tar.gz.")
        return target
    if shipped.archive_of(model) is not None:
        raise ConfigurationError(
            f"{model} is the name of a shipped model: add --out, such as --out "
            f"{model}.{args.precision}.tar.gz"
        )
    if not model.exists():
        raise ConfigurationError(
            f"{model}: no such file or folder. Name an existing one, or add --out for a URL or a "
            "name."
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
    Changes the config of a model and its weights so that it has the positions of `langs` and no
    generator, as Ji et al. (2023, appendix B) count the weights used in inference.

    # Parameters

    encoder : `TypologyEncoder`
        The model's encoder, loaded.
    langs : `Sequence[str]`
    config : `Dict[str, Any]`
        The model's config, with its `embedder`; changed in place.
    state : `Dict[str, torch.Tensor]`
        Weights by name; changed in place.

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
