"""
Compares the output of the current code with that of an earlier version, to the byte.

    python benchmarks/same_as_before.py keep FOLDER MODEL FILE.conllu --train TRAIN.conllu
    python benchmarks/same_as_before.py check FOLDER

`keep`, run with the earlier code, writes into FOLDER the output of `allennlp predict` for FILE in
float32, and the losses of the first 20 training steps of the MODEL's own config on TRAIN, with
fixed seeds. `check`, run with the current code from the same place, computes both again and reports
whether they are equal: bytes, and floats on one machine. It also counts the losses that differ by
no more than a millionth, as happens if numbers are summed in another order. The tests do the same
with small archives kept in `fixtures/archives`, which also serve machines that round differently.
"""

import argparse
import json
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import machine  # noqa: F401  # before allennlp: it applies the fixes that importing it needs
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.models import load_archive
from allennlp.training.callbacks import TrainerCallback

STEPS = 20
ROUNDING = 1e-6
FILES = ("kept.json", "parsed.conllu")


class Enough(Exception):
    """Stops a training run."""


@TrainerCallback.register("same_as_before_losses")
class Losses(TrainerCallback):
    """A callback that collects the loss of each step, and ends the run after `STEPS` of them."""

    found: list[float] = []

    def on_batch(self, trainer: Any, batch_inputs: Any, batch_outputs: Any, *_: Any, **__: Any):
        self.found.append(sum(output["loss"].item() for output in batch_outputs))
        if len(self.found) == STEPS:
            raise Enough


def losses(model: str, train: str) -> list[float]:
    """
    Returns the losses of the first steps of a run with the config of `model` on the file `train`.
    """
    settings = load_archive(model).config.as_dict(quiet=True)
    settings["train_data_path"] = train
    for name in ("validation_data_path", "validation_data_loader", "evaluation"):
        settings.pop(name, None)
    settings["trainer"]["num_epochs"] = STEPS
    settings["trainer"].setdefault("callbacks", []).append({"type": "same_as_before_losses"})
    Losses.found = []
    with tempfile.TemporaryDirectory() as folder, suppress(Enough):
        prepare_environment(Params({}))
        train_model(Params(settings), folder, force=True, return_model=False)
    return list(Losses.found)


def parsed(model: str, file: str) -> bytes:
    """Returns the output of `allennlp predict` in float32."""
    from udify_allennlp import cli

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "parsed.conllu"
        words = ["allennlp", "predict", model, file, "--output-file", str(target), "--silent"]
        words += ["-o", '{"model.precision": "float32"}']
        with mock.patch.object(sys, "argv", words):
            if cli.run() != 0:
                raise SystemExit(f"{model} cannot parse {file}")
        return target.read_bytes()


def keep(folder: Path, model: str, file: str, train: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILES[1]).write_bytes(parsed(model, file))
    kept = {"model": model, "file": file, "train": train, "losses": losses(model, train)}
    (folder / FILES[0]).write_text(json.dumps(kept, indent=1) + "\n")


def check(folder: Path) -> tuple[list[str], int]:
    """
    Returns messages about the differences, and the number of losses that differ by rounding.
    """
    kept = json.loads((folder / FILES[0]).read_text())
    faults = []
    before, now = (folder / FILES[1]).read_bytes(), parsed(kept["model"], kept["file"])
    if before != now:
        pairs = zip(before.splitlines(), now.splitlines())
        different = sum(one != other for one, other in pairs)
        faults.append(f"the parse of {kept['file']} differs in {different} lines")
    found = losses(kept["model"], kept["train"])
    rounded = 0
    for step, (old, new) in enumerate(zip(kept["losses"], found, strict=True), start=1):
        if abs(new - old) <= ROUNDING * abs(old):
            rounded += old != new
        else:
            faults.append(f"training step {step}: the loss was {old!r} and is now {new!r}")
    return faults, rounded


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("keep", "check"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        if name == "keep":
            command.add_argument("model")
            command.add_argument("file")
            command.add_argument("--train", required=True)
    args = parser.parse_args()
    # Log warnings only; AllenNLP reads this when its command starts.
    os.environ.setdefault("ALLENNLP_LOG_LEVEL", "WARNING")
    torch.set_num_threads(1)  # several threads do not sum in a fixed order
    if args.command == "keep":
        keep(args.folder, args.model, args.file, args.train)
        return 0
    faults, rounded = check(args.folder)
    same = f"{args.folder}: the parse and {STEPS} losses are unchanged"
    print("\n".join(faults) or same + (f", {rounded} of them but for rounding" if rounded else ""))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
