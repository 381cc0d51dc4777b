"""
What does a parser forget when it is compressed?

    python benchmarks/compressed_parsers.py MODEL GOLD.conllu... --calibrate DEV.conllu... \\
        --out FOLDER [--sentences N]

MODEL is an archive, a run folder, or `multilingual`. In FOLDER it is pruned by 30% and 45%,
calibrated for int8 on the first 20 sentences of each file of --calibrate, and rounded to int4, by
`ud-pack`; existing archives are reused. Pruned weights are stored in --precision, float32 unless
the model itself has fewer bits. `ud-forgotten` then compares them on the gold files and writes its
tables into FOLDER/tables; FOLDER/compressed_parsers.tsv holds those by class.
"""

import argparse
import sys
import time
from itertools import islice
from pathlib import Path

import machine  # before allennlp: it applies the fixes that importing allennlp needs
import torch
from allennlp.commands import Subcommand
from allennlp.models import load_archive

from udify_allennlp.kernels.packed_weights import STORED_PRECISIONS
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.named_files import files_of

CALIBRATED_BY = 20
TABLES = ("classes", "label_classes")


def call(name: str, *words: object) -> None:
    """Runs `allennlp NAME WORDS` in this process."""
    parser = argparse.ArgumentParser()
    command = Subcommand.by_name(name)()
    command.add_subparser(parser.add_subparsers())
    args = parser.parse_args([name, *map(str, words)])
    args.func(args)


def share_of_zeros(model: str) -> float:
    """The percentage of weights that are zero before anything is pruned."""
    weights = list(load_archive(model).model.parameters())
    zeros = sum(int((weight == 0).sum()) for weight in weights)
    return 100 * zeros / sum(weight.numel() for weight in weights)


def calibration_file(files: list[str], path: Path) -> Path:
    """The first sentences of each file."""
    sentences = (s for file in files for s in islice(read_sentences(file), CALIBRATED_BY))
    write_sentences(sentences, path)
    return path


def variants(args: argparse.Namespace, folder: Path) -> list[Path]:
    """The compressed archives, written where they are missing."""
    dev = calibration_file(files_of(args.calibrate), folder / "calibration.conllu")
    options: dict[str, list[object]] = {
        "pruned30": ["--prune", 0.3, "--precision", args.precision],
        "pruned45": ["--prune", 0.45, "--precision", args.precision],
        "int8": ["--precision", "int8", "--calibrate", dev],
        "int4": ["--precision", "int4"],
    }
    paths = []
    for name, words in options.items():
        path = folder / f"{name}.tar.gz"
        if not path.exists():
            call("ud-pack", args.model, *words, "--out", path)
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("files", metavar="GOLD.conllu", nargs="+")
    parser.add_argument("--calibrate", metavar="DEV.conllu", nargs="+", required=True)
    parser.add_argument("--out", metavar="FOLDER", required=True)
    parser.add_argument("--sentences", metavar="N", type=int, default=40)
    parser.add_argument("--precision", choices=STORED_PRECISIONS, default="float32")
    args = parser.parse_args()
    torch.manual_seed(0)
    folder = Path(args.out)
    folder.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(machine.describe() + "\n")
    start = time.process_time()
    sys.stdout.write(f"zeros before pruning: {share_of_zeros(args.model):.1f}%\n")
    names = ",".join(map(str, variants(args, folder)))
    tables = folder / "tables"
    call("ud-forgotten", args.model, names, *args.files, "--sentences", args.sentences,
         "--out", tables)  # fmt: skip
    head, *_ = (tables / "classes.tsv").read_text(encoding="utf-8").splitlines()
    rows = [
        line
        for name in TABLES
        for line in (tables / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    table = "".join(f"{line}\n" for line in [head, *rows])
    (folder / "compressed_parsers.tsv").write_text(table, encoding="utf-8")
    sys.stdout.write(f"{time.process_time() - start:.0f} CPU seconds\n")


if __name__ == "__main__":
    main()
