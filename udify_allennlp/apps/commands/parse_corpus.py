"""
`allennlp ud-parse MODEL 'corpus/*.conllu.gz' --out FOLDER`: corpora, parsed by many processes.
"""

import argparse
import functools
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError, check_for_gpu

from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import (
    MODEL,
    add_files,
    add_lang,
    add_old,
    add_out,
    add_tokenizer,
)
from udify_allennlp.apps.corpus.folder import CorpusFolder
from udify_allennlp.apps.corpus.ray_cluster import connected
from udify_allennlp.apps.corpus.ray_corpus import check_shared, examine_on_ray, parse_on_ray
from udify_allennlp.apps.corpus.shard_parser import ShardParser
from udify_allennlp.apps.corpus.texts import Reader, segmented
from udify_allennlp.apps.corpus.workers import share_out
from udify_allennlp.archives.run_folder import fetched, model_fingerprint
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.languages import language_or_treebank
from udify_allennlp.text.named_files import files_of
from udify_allennlp.text.raw_text import read_lines, read_text
from udify_allennlp.text.tokenizers import make_tokenizer


@Subcommand.register("ud-parse")
class ParseCorpus(Command):
    """
    Parse many CoNLL-U or text files, of any size, with many processes or GPUs.

    Each input file is parsed to a file of the same name in the output folder, which appears only
    when it is complete and is compressed if the input is; a.txt becomes a.conllu. If the run is
    interrupted or killed, the same command continues where it stopped, and the final files are
    identical to those of an uninterrupted run. Inputs are checked before the first is parsed; an
    input that changes later is rejected. If a process dies, its shard is parsed once more.
    Unfinished work is in .ud-parse in the output folder, which can be removed when all files are
    done.

      allennlp ud-parse model.tar.gz 'corpus/*.conllu.gz' --out parsed --workers 8
      allennlp ud-parse model.tar.gz a.conllu b.conllu --out parsed --cuda-device 0,1
      allennlp ud-parse multilingual 'texts/*.txt.gz' --lang fr --out parsed --workers 8
      allennlp ud-parse model.tar.gz 'corpus/*.conllu.gz' --out parsed --ray auto --worker-gpus 1
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help=MODEL)
        add_files(parser, "files", "CoNLL-U, or raw text, such as .txt (plain, .gz or .xz)")
        add_out(parser, "FOLDER", goes_on=True)
        add_tokenizer(parser)
        add_lang(
            parser,
            ", or a treebank, such as fr_gsd (default: a segmenter guesses the language, rules "
            "are language-independent)",
        )
        parser.add_argument(
            "--shard-size",
            type=int,
            default=1000,
            help="number of sentences to sort by length, parse and save together (default = 1000)",
        )
        parser.add_argument(
            "--workers",
            type=int,
            help="number of processes, each with the model in memory (default: one, or one for "
            "each GPU; with --ray, as many as the cluster has room for)",
        )
        parser.add_argument(
            "--cuda-device",
            default="-1",
            metavar="NUMBERS",
            help="the GPUs' numbers, such as 0,1; -1 for the CPU (default = -1); if there are more "
            "workers than GPUs, they share them",
        )
        add_old(parser, "--cuda-devices", "--cuda-device")
        parser.add_argument(
            "--ray",
            metavar="ADDRESS",
            help="parse on a Ray cluster: 'auto' for the one this machine belongs to, host:port, "
            "or 'local' to try it on this machine only; files, model and output folder must be on "
            "a file system that all its machines share (pip install 'udify_allennlp[ray]')",
        )
        parser.add_argument(
            "--worker-cpus",
            type=float,
            default=1,
            help="number of CPUs per worker, with --ray (default = 1)",
        )
        parser.add_argument(
            "--worker-gpus",
            type=float,
            default=0,
            help="number of GPUs per worker, with --ray; 0.5 puts two workers on one (default = 0)",
        )

    def run(self, args: argparse.Namespace) -> None:
        _parse(args)


def _parse(args: argparse.Namespace) -> None:
    _check(args)
    try:
        if args.ray:
            with connected(args.ray):
                _parse_on_ray(args)
        else:
            _parse_here(args)
    except OSError as error:
        if not error.errno or not Path(args.out).is_dir():  # nothing was begun
            raise
        raise ConfigurationError(
            f"{error.filename or args.out}: {error.strerror}. Finished work is kept: the same "
            "command continues from here."
        ) from error


def _parse_here(args: argparse.Namespace) -> None:
    devices = _devices(args.cuda_device)
    workers = args.workers or max(1, len(devices))
    model = fetched(args.model)
    expected = model_fingerprint(model)
    files = _segmented(args, _files(args), model, expected)
    folder = CorpusFolder(Path(args.out), files, args.shard_size, expected)
    setup = functools.partial(_load, model, expected, devices or [-1], workers, _packages(args))
    with folder, closing(share_out(folder.shards(), workers, setup)) as results:
        _watch(folder, ((shard.target, count) for shard, count in results))


def _load(
    model: str,
    expected: str,
    devices: list[int],
    workers: int,
    packages: tuple[str, ...],
    number: int,
) -> ShardParser:
    threads = max(1, torch.get_num_threads() // workers)
    return ShardParser(model, expected, devices[number % len(devices)], threads, packages)


def _parse_on_ray(args: argparse.Namespace) -> None:
    model = os.path.abspath(fetched(args.model))
    files = [os.path.abspath(path) for path in _files(args)]
    out = Path(args.out).absolute()
    expected = model_fingerprint(model)
    files = _segmented(args, files, model, expected)
    folder = CorpusFolder(out, files, args.shard_size, expected, examine_on_ray)
    check_shared([model, *files], out)
    threads, device = max(1, int(args.worker_cpus)), 0 if args.worker_gpus else -1
    setup = functools.partial(ShardParser, model, expected, device, threads, _packages(args))
    limits = args.workers, args.worker_cpus, args.worker_gpus
    with folder, closing(parse_on_ray(folder.unfinished(), setup, *limits)) as results:
        _watch(folder, results)


def _watch(folder: CorpusFolder, results: Iterator[tuple[str, int]]) -> None:
    done = folder.total - folder.left
    # The rate is of this run; what earlier ones did only moves the bar.
    with Tqdm.tqdm(total=folder.total, initial=done, unit=" sentences", smoothing=0) as bar:
        for target, count in results:
            folder.done(target)
            bar.update(count)
    assert not folder.left


def _check(args: argparse.Namespace) -> None:
    for name in ("workers", "shard_size", "worker_cpus"):
        value = getattr(args, name)
        least = 0.01 if name == "worker_cpus" else 1
        if value is not None and value < least:
            flag = name.replace("_", "-")
            raise ConfigurationError(f"--{flag} is {value}; it must be at least {least}.")
    if args.ray and _numbers(args.cuda_device):
        raise ConfigurationError(
            "--cuda-device names GPUs of this machine. With --ray, use --worker-gpus 1."
        )


def _files(args: argparse.Namespace) -> list[str]:
    return files_of(args.files, (".conllu", ".txt"))


def _segmented(args: argparse.Namespace, files: list[str], model: str, expected: str) -> list[str]:
    if (args.tokenizer or args.lang) and not any(map(is_text, files)):
        raise ConfigurationError(
            "--tokenizer and --lang are for raw text, and no input is raw text. Omit them."
        )
    lang = language_or_treebank(args.lang) if args.lang else None

    def make() -> Reader:
        tokenizer = make_tokenizer(own_tokenizer(model, args.tokenizer), lang)
        predictor = load_predictor(model, packages=_packages(args), packed=True)
        return lambda path: predictor.of_text(
            read_text(read_lines(path), tokenizer, path=path), lang
        )

    conditions = args.tokenizer or "", lang or "", expected
    return segmented(files, Path(args.out).absolute(), make, *conditions)


def _packages(args: argparse.Namespace) -> tuple[str, ...]:
    return tuple(getattr(args, "include_package", ()))


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",") if number.strip() not in ("", "-1")]
    except ValueError:
        raise ConfigurationError(f"--cuda-device is {text!r}. Use numbers, such as 0,1.") from None


def _devices(text: str) -> list[int]:
    devices = _numbers(text)
    if devices:
        check_for_gpu(devices)
    return devices
