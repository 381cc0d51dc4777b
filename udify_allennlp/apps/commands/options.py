"""Arguments that several commands share, each with one spelling and one help text."""

import argparse
import os
from collections.abc import Sequence
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.named_files import CONLLU, files_among, files_of
from udify_allennlp.text.output_checks import check_folder, check_replaces_none, check_writable
from udify_allennlp.text.tokenizers import CHOICES, DEFAULT
from udify_command.old_spellings import note

MODEL = "an archive, a run folder, or `multilingual`, the shipped model"
MODEL_OR_ENCODER = "a trained model, or a Hugging Face encoder (a folder or a hub name)"
SEVERAL = "names, folders or quoted globs, also comma-separated"
COMMON_TEXTS = {
    "archive_file": MODEL,
    "cuda_device": "the GPU's number, -1 for the CPU (default = -1)",
    "file_friendly_logging": "print progress on separate lines, for log files",
    "weights_file": "weights to use instead of the model's",
}
"""Help texts for arguments that several AllenNLP commands have, by destination."""


def add_files(parser: Any, name: str, what: str, required: bool = True) -> None:
    """Adds an argument or option for several files, which `text/named_files.py` finds."""
    options: dict = {"nargs": "+", "metavar": "FILE", "help": f"{what}: {SEVERAL}"}
    if name.startswith("-"):
        options.update(action="extend", required=required)
    parser.add_argument(name, **options)


def take_several(parser: argparse.ArgumentParser, dest: str, what: str) -> None:
    """Lets an argument of an AllenNLP command take several files; `one_word` joins them."""
    for action in parser._actions:
        if action.dest == dest:
            action.nargs, action.metavar, action.help = "+", "FILE", f"{what}: {SEVERAL}"


def one_word(words: Sequence[str], endings: Sequence[str] = CONLLU) -> str:
    """
    Joins the words as AllenNLP expects them: with commas between files, and folders as their files.
    """
    return ",".join(
        ",".join(files_of([word], endings)) if os.path.isdir(word) else word for word in words
    )


def add_out(
    parser: Any, metavar: str, what: str = "", required: bool = True, goes_on: bool = False
) -> None:
    """
    Adds `--out`, the output.

    # Parameters

    metavar : `str`
        `FILE` or `FOLDER`.
    what : `str`
        Description of the output.
    goes_on : `bool`
        True if the folder may be that of an interrupted run.
    """
    texts = {
        "FILE": "the file to write",
        "FOLDER": "the folder to write, new or empty",
        "PATH": "the file to write; with --by, the folder, new or empty",
    }
    text = texts[metavar] + (
        ", or that of an interrupted run, which then continues" if goes_on else ""
    )
    text += f": {what}" if what else ""
    parser.add_argument("--out", required=required, metavar=metavar, help=text)
    parser.set_defaults(kind_of_out=metavar)


def check_out(args: argparse.Namespace) -> None:
    """
    Checks `--out` before any work.

    # Raises

    `FileNotFoundError`, `IsADirectoryError` or `InputError` if it cannot be written, or is a file
    that another argument names.
    """
    kind, out = getattr(args, "kind_of_out", None), getattr(args, "out", None)
    if not kind or not out:
        return
    if kind == "FOLDER" or (kind == "PATH" and args.by):
        check_folder(out)
        return
    check_writable(out)
    others = [value for name, value in vars(args).items() if name != "out"]
    words = [word for value in others for word in (value if isinstance(value, list) else [value])]
    check_replaces_none(out, files_among(word for word in words if isinstance(word, str)))


def check_batch_size(size: Optional[int]) -> None:
    """
    # Raises

    `ConfigurationError` if a batch size is below 1.
    """
    if size is not None and size < 1:
        raise ConfigurationError(f"--batch-size is {size}: it must be at least 1.")


def add_cuda_device(parser: Any, use: str = "", first_gpu: bool = False) -> None:
    """
    Adds `--cuda-device`: by default -1, the CPU, or with `first_gpu` the first GPU if there is one.
    """
    default = 0 if first_gpu and torch.cuda.is_available() else -1
    told = "the first GPU if there is one" if first_gpu else "-1"
    text = f"the GPU's number, -1 for the CPU{use and '; '}{use} (default = {told})"
    parser.add_argument("--cuda-device", type=int, default=default, help=text)


def add_lang(parser: Any, more: str = "") -> None:
    """Adds `--lang`, the language of raw text."""
    text = "language of raw text, by code or name, such as fr or French (`ud-card --languages`)"
    parser.add_argument("--lang", help=text + more)


def add_tokenizer(parser: Any, model: str = "the model", more: str = "") -> None:
    """Adds `--tokenizer`, which splits raw text."""
    parser.add_argument(
        "--tokenizer",
        help=f"tokenizer for raw text: {CHOICES} (default: {model}'s own segmenter if it has one, "
        f"else {DEFAULT}{more})",
    )


def add_overrides(parser: Any, configs: str) -> None:
    """Adds `--overrides`, changes to configs."""
    text = f"settings to change in {configs}, as JSON"
    parser.add_argument("-o", "--overrides", default="", help=text)


def add_study_options(parser: Any) -> None:
    """Adds the options that all studies share; see `apps/studies/study.py`."""
    folders = "folders of treebanks, or quoted globs, also comma-separated"
    parser.add_argument("treebanks", nargs="+", metavar="FOLDER", help=folders)
    add_out(parser, "FOLDER", goes_on=True)
    parser.add_argument(
        "--seeds",
        help="seeds to run each model with, such as 1,2,3 (default: one run, with the seed of the "
        "config)",
    )
    parser.add_argument("--external", help="TSV with rows for other systems in the table")
    add_overrides(parser, "all configs")
    add_cuda_device(parser, "used for scoring; configs set the device of training", first_gpu=True)


def add_discard(parser: Any) -> None:
    parser.add_argument(
        "--discard-models",
        action="store_true",
        help="remove each model that is trained here after it is scored; scores and parses are "
        "kept",
    )


def add_old(parser: Any, old: str, new: str, **options: Any) -> None:
    """Adds an argument under a spelling that the next release drops; a note shows the `new` one."""
    options.update(new=new, action=_Old, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    dest = new.lstrip("-").replace("-", "_")
    if old.startswith("-"):
        parser.add_argument(old, dest=dest, **options)
    else:
        parser.add_argument(dest, metavar=old, nargs="?", **options)


class _Old(argparse.Action):
    def __init__(self, new: str, **options: Any) -> None:
        super().__init__(**options)
        self._new = new

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: Optional[str] = None,
    ) -> None:
        old = option_string or str(self.metavar)
        note(old, self._new if option_string else f"{self._new} {old}")
        setattr(namespace, self.dest, values)
