"""Checks for options of `allennlp predict` that contradict each other, the model or the input."""

import argparse
import os
from typing import Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.options import check_batch_size
from udify_allennlp.archives.card import language_prefix
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.conllu import treebank_name
from udify_allennlp.text.encodings import check_encoding
from udify_allennlp.text.input_kinds import CONLLU, TEXT, InputFile
from udify_allennlp.text.named_files import files_among
from udify_allennlp.text.output_checks import check_folder, check_keeps_texts, check_writable
from udify_allennlp.text.roles.styles import style_of_name

STANDARD_OUTPUT = (None, "-", "/dev/stdout")


def check_outputs(args: argparse.Namespace) -> None:
    """Checks that the options name an output for the parses, and that it can be written."""
    to_file = args.output_file not in STANDARD_OUTPUT
    if args.silent and not args.output_file and not args.output_dir:
        raise ConfigurationError(
            "--silent without an output file leaves nothing to do. Add --output-file."
        )
    check_batch_size(args.batch_size)
    if args.output_dir and args.output_file:
        raise ConfigurationError(
            "--output-dir and --output-file both name the output. Use one of them."
        )
    if args.output_dir and args.input_file == "-":
        raise ConfigurationError(
            "--output-dir names its files after those of the input, and standard input has no "
            "name. Use --output-file."
        )
    if args.output_dir and args.every_iteration:
        raise ConfigurationError(
            "--every-iteration names its files after --output-file. Use that instead of "
            "--output-dir."
        )
    if args.output_dir:
        check_folder(args.output_dir)
    if args.output_format and not args.output_dir:
        raise ConfigurationError(
            "--output-format is for --output-dir; the name of --output-file determines its "
            "format. Omit it."
        )
    if args.resume and not (args.output_dir or to_file):
        raise ConfigurationError(
            "--resume needs the --output-dir or --output-file of the interrupted run. Add it."
        )
    if args.output_file:
        check_writable(args.output_file)
        check_keeps_texts(args.output_file, files_among([args.input_file]))
    if args.every_iteration and (args.output_file in STANDARD_OUTPUT or args.input_file == "-"):
        raise ConfigurationError(
            "--every-iteration reads its input several times and writes several files. Name an "
            "input file and an --output-file."
        )


def check_raw_text_options(args: argparse.Namespace) -> None:
    """Checks that the options for raw text apply."""
    if args.use_dataset_reader and (args.tokenizer or args.lang):
        raise ConfigurationError(
            "--tokenizer and --lang are for raw text, and --use-dataset-reader reads the input as "
            "CoNLL-U. Omit them, or --use-dataset-reader."
        )
    if args.encoding:
        check_encoding(args.encoding)


def check_style(predictor: ConlluPredictor, path: str) -> None:
    """Checks that the output format can hold the roles that the model labels."""
    decoders, style = predictor.model.decoders, style_of_name(path)
    formats = decoders["roles"].formats if "roles" in decoders else []
    if formats and style and style not in formats:
        raise ConfigurationError(
            f"{path}: columns of {style} cannot hold the roles that this model labels. Name it "
            f".{formats[0]} or .conllu."
        )


def check_kinds(
    predictor: ConlluPredictor,
    files: list[InputFile],
    args: argparse.Namespace,
    lang: Optional[str],
) -> None:
    """
    Checks that the options apply to the content of the files. The predictor receives the languages
    that the names of treebanks contain.
    """
    treebanks = [file for file in files if file.kind == CONLLU]
    if treebanks and lang and not predictor.reader.schema.langs and not args.use_dataset_reader:
        raise ConfigurationError(
            f"{treebanks[0].path} contains CoNLL-U, and --lang is for raw text: the model does "
            "not use the language of a sentence. Omit it, or add --tokenizer for raw text."
        )
    other = next((file for file in files if file.kind != TEXT), None)
    if other and args.encoding:
        raise ConfigurationError(
            f"--encoding is for raw text, and {other.path} contains {other.kind}. Omit it, and "
            "convert the file if it is not UTF-8."
        )
    for code in filter(None, (_language(file.path) for file in treebanks if not lang)):
        predictor.meet(code)


def _language(path: str) -> Optional[str]:
    """
    Returns the language of a file that is named like the treebanks of UD, `en_ewt-ud-test.conllu`.
    """
    return language_prefix(treebank_name(path)) if "-ud-" in os.path.basename(path) else None
