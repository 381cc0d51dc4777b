"""The steps with which `multilingual.py` makes the shipped model."""

import argparse
import glob
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)

from udify_allennlp.data.lexicon import namespace

ROOT = Path(__file__).resolve().parent.parent
LEAST = 2
"""
Minimum count of a wordpiece in the treebanks and texts: it keeps 119,000 of 131,593. With a minimum
of 5, which keeps 105,000, the teacher lost 1.7 LAS on Finnish-TDT; with 2 it lost 0.3 (300
sentences).
"""
LEXICON = f"{namespace('lemma')}.txt"
"""Namespace of exceptions in the vocabulary."""
QUICK = {"trainer.num_epochs": 1, "data_loader.epoch_size": 16}


class Step(NamedTuple):
    """
    A step: its name, the file that shows that it is done, its command, and settings of `--quick`.
    """

    name: str
    makes: str
    command: str
    quick: dict[str, Any] = {}


STEPS = (
    Step(
        "teacher",
        "teacher/metrics.json",
        "train {configs}/multilingual/teacher.jsonnet -s teacher",
        QUICK,
    ),
    Step(
        "pieces",
        "teacher.small.tar.gz",
        "ud-pack teacher --precision float32 --words {words} --least {least} "
        "--out teacher.small.tar.gz",
    ),
    Step(
        "segmenter",
        "segmenter/metrics.json",
        "train {configs}/segmenter.jsonnet -s segmenter",
        QUICK,
    ),
    Step("silver", "silver/texts.tsv", "silver.py teacher.small.tar.gz RAW/*.txt* --out silver"),
    Step(
        "student",
        "student/metrics.json",
        "train {configs}/multilingual/student.jsonnet -s student",
        {**QUICK, "model.embedder.layers": 2, "model.taught_by": [1, 2]},
    ),
    Step(
        "calibrated",
        "calibrated.tar.gz",
        "ud-calibrate student {dev} --out calibrated.tar.gz --report calibration",
    ),
    Step("exceptions", LEXICON, "exceptions.py calibrated.tar.gz {words}"),
    Step(
        "bundle",
        "multilingual.tar.gz",
        "ud-bundle calibrated.int4.tar.gz {segmenter} --out multilingual.tar.gz",
    ),
)

_FURTHER = {"teacher": "train {configs}/multilingual/further.jsonnet -s teacher"}


def raw_texts() -> list[str]:
    raw = os.environ.get("RAW")
    return sorted(glob.glob(f"{glob.escape(str(Path(raw).resolve()))}/*.txt*")) if raw else []


def steps(further: bool) -> list[Step]:
    """
    Returns the required steps: a model that is trained further already has a segmenter, and silver
    data requires RAW.
    """
    left_out = {"segmenter"} if further else set()
    if not raw_texts():
        left_out.add("silver")
    commands = _FURTHER if further else {}
    return [
        step._replace(command=commands.get(step.name, step.command))
        for step in STEPS
        if step.name not in left_out
    ]


def call(
    step: Step, words: Sequence[str], out: Path, environment: Mapping[str, str], quick: bool
) -> None:
    """
    Runs the command of a step in the folder `out`; an interrupted training continues. Raises
    `SystemExit` if it does not make the step's file.
    """
    more: list[str] = []
    if words[0] == "train":
        if (out / step.name / "config.json").exists():
            more.append("--recover")
        if quick:
            more += ["-o", json.dumps(step.quick)]
    paths = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "udify_allennlp", *words, *more]
    subprocess.run(command, check=True, cwd=out, env={**environment, "PYTHONPATH": paths})
    if not (out / step.makes).exists():
        raise SystemExit(f"{step.name} did not write {out / step.makes}.")


def go_through(
    steps: Sequence[Step], wanted: Sequence[str], out: Path, run: Callable[[Step], None]
) -> None:
    """Runs the unfinished ones of the steps `wanted`; without any, lists all."""
    out.mkdir(parents=True, exist_ok=True)
    for step in steps:
        done = (out / step.makes).exists()
        if step.name in wanted and not done:
            sys.stdout.write(f"{step.name}: {step.command}\n")
            sys.stdout.flush()
            run(step)
        elif not wanted:
            sys.stdout.write(f"{step.name}: {step.command}{' (done)' if done else ''}\n")


def names_of(
    parser: argparse.ArgumentParser, given: Sequence[str], steps: Sequence[Step]
) -> Sequence[str]:
    """Returns the steps in a command line; `all` means all of them, an unknown one is an error."""
    names = [step.name for step in steps]
    wanted = names if list(given) == ["all"] else given
    for name in wanted:
        if name not in names:
            parser.error(f"Unknown step {name}. Choose from {', '.join(names)}, all.")
    return wanted
