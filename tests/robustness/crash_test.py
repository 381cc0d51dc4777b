"""
A run that dies at any file operation, and is recovered, ends with the archive of one that was left
alone: the same weights, the same metrics. `make soak` tries every operation, the suite some.
"""

import builtins
import io
import itertools
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from udify_allennlp.text.conllu import read_sentences, write_sentences

EVERY = 1 if os.environ.get("UDIFY_SOAK") else 41
"""Of this many operations one is tried in the suite; besides, those that make best weights."""
KINDS = {
    "one": {"trainer.checkpointer": {"type": "udify", "keep_most_recent_by_count": 1}},
    "batches": {
        "trainer.checkpointer": {
            "type": "udify",
            "save_every_num_batches": 1,
            "keep_most_recent_by_count": 1,
        }
    },
    # Weights that no checkpoint holds; and a run that ends early.
    "average": {
        "trainer.moving_average": {"type": "exponential", "decay": 0.5},
        "trainer.num_epochs": 9,
        "trainer.patience": 1,
    },
}
PLACES = [
    (os, name) for name in ("replace", "rename", "link", "remove", "unlink", "mkdir", "rmdir")
]
PLACES += [(shutil, name) for name in ("copy", "copyfile", "move", "rmtree")]
PLACES += [(torch, "save"), (builtins, "open"), (io, "open")]

RATES = {"one": 0.02, "batches": 0.02, "average": 0.3}


class Killed(BaseException):
    """Nobody catches it; and until the test takes the blame off, no file operation works."""


class Operations:
    """
    Counts what changes the files under `folder`, and kills the run before or, for a file that was
    opened for writing, after operation number `last`. The dead do not tidy up: whatever cleans
    after the exception is killed as well.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, last: int = -1) -> None:
        self.folder = str(folder)
        self.last = last
        self.names: list = []
        for owner, name in PLACES:
            monkeypatch.setattr(owner, name, self.watched(getattr(owner, name), name))

    def watched(self, original, name):
        def call(*args, **kwargs):
            if not self.changes(name, args, kwargs):
                return original(*args, **kwargs)
            about = [Path(arg).name for arg in args if isinstance(arg, (str, Path))]
            self.names.append(" ".join([name, *about]))
            if name == "open" and len(self.names) - 1 == self.last:
                original(*args, **kwargs).close()  # an empty file, or half of one
            if len(self.names) > self.last >= 0:
                raise Killed
            return original(*args, **kwargs)

        return call

    def changes(self, name, args, kwargs) -> bool:
        if name == "open":
            mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
            return isinstance(args[0], (str, Path)) and "r" not in mode and self.is_ours(args[0])
        return any(isinstance(arg, (str, Path)) and self.is_ours(arg) for arg in args) or (
            name == "save"
        )

    def is_ours(self, path) -> bool:
        return str(Path(path).absolute()).startswith(self.folder)


@pytest.fixture(autouse=True)
def paths(monkeypatch, tmp_path_factory, small_data):
    folder = tmp_path_factory.mktemp("tiny")
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    for name, source, count in (("UD_TRAIN", small_data[0], 10), ("UD_DEV", small_data[1], 3)):
        path = folder / Path(source).name
        write_sentences(itertools.islice(read_sentences(source), count), str(path))
        monkeypatch.setenv(name, str(path))


def train(folder: Path, kind: str, **how) -> None:
    overrides = {
        "trainer.num_epochs": 3,
        "trainer.validation_metric": "-loss",
        "trainer.learning_rate_scheduler": None,
        "trainer.optimizer.lr": RATES[kind],
        **KINDS[kind],
    }
    train_model_from_file(str(CONFIGS / "tiny.jsonnet"), str(folder), overrides=overrides, **how)


def results(folder: Path):
    with tarfile.open(folder / "model.tar.gz") as tar:
        member = tar.extractfile("weights.th")
        assert member is not None
        weights = torch.load(io.BytesIO(member.read()), weights_only=True)
    metrics = json.loads((folder / "metrics.json").read_text())
    return weights, {k: v for k, v in metrics.items() if "memory" not in k and "duration" not in k}


def recover(folder: Path, kind: str) -> None:
    if not (folder / "config.json").exists():
        # It had not begun, and says so.
        with pytest.raises(ConfigurationError, match="does not exist|doesn't contain"):
            train(folder, kind, recover=True)
        train(folder, kind, force=True)
    else:
        train(folder, kind, recover=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_crash_at_any_file_operation_loses_nothing(tmp_path, kind):
    with pytest.MonkeyPatch.context() as patch:
        whole = Operations(patch, tmp_path / "whole")
        train(tmp_path / "whole", kind)
    weights, metrics = results(tmp_path / "whole")
    assert {"epoch", "training_loss", "validation_LAS"} <= metrics.keys()
    wrong = []
    for last, name in enumerate(whole.names):
        if last % EVERY and "best.th" not in name:
            continue
        folder = tmp_path / f"cut_{last}"
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            Operations(patch, folder, last)
            train(folder, kind)
        try:
            recover(folder, kind)
            found, figures = results(folder)
        except Exception as error:
            wrong.append((last, name, repr(error)[:200]))
            continue
        same = found.keys() == weights.keys()
        if not same or not all(torch.equal(value, found[key]) for key, value in weights.items()):
            wrong.append((last, name, "other weights"))
        elif figures != pytest.approx(metrics, rel=1e-6):
            wrong.append((last, name, "other metrics"))
        shutil.rmtree(folder)
    assert not wrong


def test_runs_that_are_equal_give_archives_of_equal_bytes(tmp_path):
    for name in ("one", "other"):
        train(tmp_path / name, "one")
    first, second = ((tmp_path / name / "model.tar.gz").read_bytes() for name in ("one", "other"))
    assert first == second
