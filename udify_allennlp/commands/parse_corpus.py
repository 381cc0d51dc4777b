"""`allennlp ud-parse MODEL 'corpus/*.conllu.gz' --out FOLDER`: corpora, by many processes."""

import argparse
import functools
import os
from pathlib import Path
from typing import Callable, List

import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm, util
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.file_utils import cached_path
from allennlp.common.plugins import import_plugins
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from udify_allennlp.conllu import expand_paths
from udify_allennlp.corpus import CorpusFolder, Shard, fingerprint, save
from udify_allennlp.predictors import ConlluPredictor
from udify_allennlp.workers import share_out


@Subcommand.register("ud-parse")
class ParseCorpus(Subcommand):
    """
    Parse many CoNLL-U files, of any size, with many processes or GPUs.

    Each input file gives a file of the same name in the output folder, complete or not at all,
    compressed if the input is. If the run is interrupted or killed, the same command goes on where
    it stopped, and in the end the files are those of a run left alone, to the byte. Inputs are
    checked before the first is parsed; one that changes later is refused. When a process dies, its
    shard is parsed once more. The folder's .ud-parse, where unfinished work is, can be removed when
    all is done.

      allennlp ud-parse model.tar.gz 'corpus/*.conllu.gz' --out parsed --workers 8
      allennlp ud-parse model.tar.gz a.conllu,b.conllu --out parsed --cuda-devices 0,1
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Parse a corpus with many processes or GPUs; can be interrupted.",
        )
        subparser.add_argument("model", help="a model archive, or the folder of a run")
        subparser.add_argument(
            "files",
            help="CoNLL-U files (plain, .gz or .xz) or quoted globs, separated by commas",
        )
        subparser.add_argument("--out", required=True, help="the output folder")
        subparser.add_argument(
            "--shard-size",
            type=int,
            default=1000,
            help="sentences that are parsed and saved at a time, and sorted by length among each "
            "other (default = 1000)",
        )
        subparser.add_argument(
            "--workers",
            type=int,
            help="processes, each with the model in memory (default: one, or one for each GPU)",
        )
        subparser.add_argument(
            "--cuda-devices",
            default="",
            help="GPUs, such as 0,1; with more workers than GPUs they share them",
        )
        subparser.set_defaults(func=_parse)
        return subparser


def _parse(args: argparse.Namespace) -> None:
    devices = _devices(args.cuda_devices)
    workers = max(1, len(devices)) if args.workers is None else args.workers
    for name, value in (("--workers", workers), ("--shard-size", args.shard_size)):
        if value < 1:
            raise ConfigurationError(f"{name} is {value}; it must be at least 1.")
    model = cached_path(args.model)
    files = args.files if os.path.exists(args.files) else args.files.split(",")
    folder = CorpusFolder(
        Path(args.out), expand_paths(files), args.shard_size, fingerprint(_model_files(model))
    )
    packages = tuple(getattr(args, "include_package", ()))
    setup = functools.partial(_load, model, devices or [-1], workers, packages)
    with folder:
        done = folder.total - folder.left
        # The rate is of this run; what earlier ones did only moves the bar.
        with Tqdm.tqdm(total=folder.total, initial=done, unit=" sentences", smoothing=0) as bar:
            for shard, count in share_out(folder.shards(), workers, setup):
                folder.done(shard)
                bar.update(count)


def _devices(text: str) -> List[int]:
    try:
        devices = [int(number) for number in text.split(",") if number.strip()]
    except ValueError:
        raise ConfigurationError(f"--cuda-devices is {text!r}; give numbers: 0,1") from None
    if devices:
        check_for_gpu(devices)
    return devices


def _model_files(model: str) -> List[str]:
    if os.path.isfile(model):
        return [model]
    names = (os.path.join(model, name) for name in ("config.json", "weights.th", "best.th"))
    return [name for name in names if os.path.isfile(name)]


def _load(
    model: str, devices: List[int], workers: int, packages: tuple, number: int
) -> Callable[[Shard], int]:
    """The work of one process; called in it."""
    import_plugins()
    for package in packages:
        util.import_module_and_submodules(package)
    torch.set_num_threads(max(1, torch.get_num_threads() // workers))
    archive = load_archive(model, cuda_device=devices[number % len(devices)])
    predictor = Predictor.from_archive(archive)
    if not isinstance(predictor, ConlluPredictor):
        raise ConfigurationError(f"{model} is not a model whose predictor is 'udify'.")
    return functools.partial(_parse_shard, predictor)


def _parse_shard(predictor: ConlluPredictor, shard: Shard) -> int:
    instances = [predictor._dataset_reader.text_to_instance(s) for s in shard.sentences]
    save(predictor.parse(instances), shard.target)
    return len(shard.sentences)
