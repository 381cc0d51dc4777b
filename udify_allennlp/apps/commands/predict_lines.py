"""`allennlp predict` with translation models: one line of text out for each line in."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.commands.predict_checks import STANDARD_OUTPUT
from udify_allennlp.text.conllu import expand_paths
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import CutShort, part_of, whole_file
from udify_allennlp.translation.aligned_text import read_lines
from udify_allennlp.translation.predictor import AT_A_TIME, TranslationPredictor

# Of predict's options, those that only parsers follow.
_OF_PARSERS = (
    *("tokenizer", "lang", "encoding", "probabilities", "iterations", "every_iteration"),
    *("output_dir", "output_format", "skip_bad_files", "use_dataset_reader"),
)


def add_languages(parser: argparse.ArgumentParser) -> None:
    """Adds the options `--from` and `--to`."""
    for name, what in (("from", "source"), ("to", "target")):
        parser.add_argument(
            f"--{name}",
            dest=f"{what}_lang",
            metavar="LANG",
            help=f"translation models: the {what} language, by code or name, such as fr or French",
        )


def check_no_languages(args: argparse.Namespace) -> None:
    """Raises `ConfigurationError` if the options of translation are used with another model."""
    if args.source_lang or args.target_lang:
        raise ConfigurationError(
            f"--from and --to are for translation models, and {args.archive_file} is not one. Omit "
            "them."
        )


def translate_lines(predictor: TranslationPredictor, args: argparse.Namespace) -> None:
    """
    Translates the input line by line. An interrupted run keeps its lines in OUTPUT.part and
    continues after them with `--resume`.

    # Raises

    `ConfigurationError` if a language is missing, or for an option that only parsers have.
    """
    if not args.source_lang or not args.target_lang:
        raise ConfigurationError(
            f"{args.archive_file} is a translation model. Name the languages: --from en --to de."
        )
    for name in _OF_PARSERS:
        if getattr(args, name):
            raise ConfigurationError(
                f"--{name.replace('_', '-')} is for parsers, and {args.archive_file} is a "
                "translation model. Omit it."
            )
    source, target = (predictor.language(lang) for lang in (args.source_lang, args.target_lang))
    typed = args.input_file == "-"
    at_a_time = args.batch_size or (1 if typed else AT_A_TIME)
    if args.output_file in STANDARD_OUTPUT:
        lines = iter(sys.stdin) if typed else iter(_lines(args.input_file))
        for line in predictor.translate(lines, source, target, at_a_time):
            sys.stdout.buffer.write(f"{line}\n".encode())
            sys.stdout.flush()
        return
    sources = list(sys.stdin) if typed else _lines(args.input_file)
    part = part_of(args.output_file)
    done = read_lines(part)[: len(sources)] if args.resume and os.path.isfile(part) else []
    rest = predictor.translate(sources[len(done) :], source, target, at_a_time)
    bar = Tqdm.tqdm(total=len(sources), initial=len(done), unit="lines", disable=args.silent)
    with nullcontext() if args.silent else bar:
        _write(args.output_file, done, rest, bar)
    Path(part).unlink(missing_ok=True)


def _write(path: str, done: list[str], rest: Iterator[str], bar: Any) -> None:
    count = len(done)
    try:
        with whole_file(path) as file:
            file.writelines(f"{line}\n".encode() for line in done)
            try:
                for line in rest:
                    file.write(f"{line}\n".encode())
                    count += 1
                    bar.update()
            except BaseException as error:
                if count:
                    raise CutShort from error
                raise
    except CutShort as error:
        sys.stderr.write(
            f"\n{part_of(path)} has the {count} lines translated so far. To continue, add --resume "
            "to the same command.\n"
        )
        assert error.__cause__ is not None
        raise error.__cause__ from None


def _lines(names: str) -> list[str]:
    lines = [line for path in expand_paths(names) for line in read_lines(path)]
    if not lines:
        raise InputError(f"{names}: has no lines. Provide text with one sentence per line.")
    return lines
