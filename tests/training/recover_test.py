"""A run that is interrupted and recovered ends as one that was left alone."""

import errno
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived
from allennlp.training.callbacks import TrainerCallback

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from udify_allennlp.training import checkpointer as checkpointer_module
from udify_allennlp.training import optimizers
from udify_allennlp.training.checkpointer import AtomicCheckpointer, _write, save_best
from udify_allennlp.training.recovery import RunState

TINY = str(CONFIGS / "tiny.jsonnet")
EPOCHS = 3
INTERRUPT = {"after": 0}


class Interrupted(Exception):
    """Stands for the power cut."""


@TrainerCallback.register("test_interrupt")
class Interrupt(TrainerCallback):
    def on_start(self, trainer, is_primary=True, **kwargs):
        self.left = INTERRUPT["after"]

    def on_batch(self, *args, is_training=True, **kwargs):
        if is_training:
            self.left -= 1
            if self.left == 0:
                raise Interrupted


@pytest.fixture(autouse=True)
def paths(monkeypatch, small_data):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])
    # As for the table of a real encoder: rows that are behind must not be lost either.
    monkeypatch.setattr(optimizers, "LARGE_EMBEDDING", 1)


def settings(every, **more):
    return {
        **more,
        "trainer.num_epochs": EPOCHS,
        "trainer.checkpointer.save_every_num_batches": every,
        "trainer.callbacks": [{"type": "udify_unfreeze"}, {"type": "test_interrupt"}],
    }


def train(folder, every, after=0, recover=False, **more):
    INTERRUPT["after"] = after
    return train_model_from_file(
        TINY, str(folder), overrides=settings(every, **more), recover=recover, force=False
    )


def last_checkpoint(folder):
    return AtomicCheckpointer(str(folder)).load_checkpoint()


@pytest.mark.parametrize("after", [3, 6, 8, 11], ids=lambda n: f"after_{n}_batches")
def test_recovering_anywhere_gives_the_same_weights_and_rates(tmp_path, after):
    """Five batches an epoch and a checkpoint every two: between, at and after the epochs."""
    whole = train(tmp_path / "whole", every=2)
    with pytest.raises(Interrupted):
        train(tmp_path / "cut", every=2, after=after)
    recovered = train(tmp_path / "cut", every=2, recover=True)
    for name, value in whole.state_dict().items():
        assert torch.equal(value, recovered.state_dict()[name]), name
    first, second = (last_checkpoint(tmp_path / name) for name in ("whole", "cut"))
    for name, value in first.model_state.items():
        assert torch.equal(value, second.model_state[name]), name
    for key in ("learning_rate_scheduler", "metric_tracker", "epochs_completed"):
        assert first.trainer_state[key] == second.trainer_state[key]


@pytest.mark.gpu
def test_recovering_on_a_gpu_does_so_too(tmp_path, gpu, monkeypatch):
    # Otherwise a GPU adds numbers in any order, and two runs of the same updates differ.
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    device = {"trainer.cuda_device": 0}
    try:
        whole = train(tmp_path / "whole", every=2, **device)
        with pytest.raises(Interrupted):
            train(tmp_path / "cut", every=2, after=8, **device)
        recovered = train(tmp_path / "cut", every=2, recover=True, **device)
    finally:
        torch.use_deterministic_algorithms(False)
    assert {parameter.device for parameter in recovered.parameters()} == {gpu}
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(
            value, recovered.state_dict()[name], msg=(f"{name}: " + "{}").format
        )


def figures(folder):
    metrics = json.loads((folder / "metrics.json").read_text())
    return {k: v for k, v in metrics.items() if "memory" not in k and "duration" not in k}


def test_a_recovered_run_reports_what_one_that_was_left_alone_does(tmp_path):
    """In mid-epoch, where the loss is of all batches; and when all is done already."""
    train(tmp_path / "whole", every=2)
    whole = figures(tmp_path / "whole")
    assert whole["epoch"] == EPOCHS - 1 and whole["training_loss"] > 0
    with pytest.raises(Interrupted):
        train(tmp_path / "cut", every=2, after=5 * EPOCHS)
    train(tmp_path / "cut", every=2, recover=True)
    assert figures(tmp_path / "cut") == pytest.approx(whole, rel=1e-6)
    archive = (tmp_path / "cut" / "model.tar.gz").read_bytes()
    train(tmp_path / "cut", every=2, recover=True)
    assert figures(tmp_path / "cut") == pytest.approx(whole, rel=1e-6)
    assert (tmp_path / "cut" / "model.tar.gz").read_bytes() == archive


def test_a_checkpoint_of_a_run_that_was_cut_off_is_not_kept_for_a_later_one(tmp_path, monkeypatch):
    """Half a checkpoint beyond the one taken up must not count as the most recent."""
    train(tmp_path / "run", every=None)
    state = AtomicCheckpointer(str(tmp_path / "run")).find_latest_checkpoint()[0]
    beyond = tmp_path / "run" / f"model_state_e{EPOCHS + 5}_b0.th"
    shutil.copy(state, beyond)
    checkpointer = AtomicCheckpointer(str(tmp_path / "run"), keep_most_recent_by_count=1)
    assert checkpointer.find_latest_checkpoint()[0] == state
    beyond.with_name(beyond.name.replace("model", "training")).write_bytes(b"half")
    checkpointer.load_checkpoint()
    assert checkpointer.find_latest_checkpoint()[0] == state


@pytest.mark.parametrize("name", ["best.th", "model_state_e1_b0.th"])
def test_a_full_disk_leaves_the_file_that_was_there(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"good")
    weights = {"weight": torch.ones(100_000)}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OSError) as caught:
            if name == "best.th":
                save_best(str(path), None, lambda file: torch.save(weights, file))
            else:
                _write(weights, str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (caught.value.filename, caught.value.errno) == (str(path), errno.EFBIG)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"good"]


@pytest.mark.parametrize("cause", [KeyboardInterrupt, SigTermReceived])
@pytest.mark.parametrize("name", ["best.th", "model_state_e1_b0.th"])
def test_what_interrupts_the_writing_is_not_taken_for_a_full_disk(
    tmp_path, monkeypatch, name, cause
):
    """Python's handler of a signal runs where PyTorch calls the file's `write`."""

    class Interrupted:
        def __init__(self, file):
            self.file = file

        def write(self, data):
            if self.file.tell() > 10_000:
                raise cause
            return self.file.write(data)

    path = tmp_path / name
    path.write_bytes(b"good")
    save = torch.save
    monkeypatch.setattr(torch, "save", lambda state, file: save(state, Interrupted(file)))
    weights = {str(number): torch.ones(5000) for number in range(5)}
    with pytest.raises(cause):
        if name == "best.th":
            save_best(str(path), None, lambda file: torch.save(weights, file))
        else:
            _write(weights, str(path))
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"good"]


def test_damaged_checkpoints_are_passed_over(tmp_path, monkeypatch):
    train(tmp_path / "run", every=2)
    checkpointer = AtomicCheckpointer(str(tmp_path / "run"))
    newest = checkpointer.find_latest_checkpoint()[0]
    broken = newest.replace(f"model_state_e{EPOCHS}", f"model_state_e{EPOCHS + 1}")
    assert broken != newest
    said = []  # AllenNLP puts its own handlers in the place of pytest's
    monkeypatch.setattr(checkpointer_module.logger, "warning", lambda text, *_: said.append(text))
    flipped = bytearray(Path(newest).read_bytes())
    flipped[len(flipped) // 2] ^= 1  # a weight, which PyTorch takes as it is
    assert torch.load(io.BytesIO(flipped), weights_only=True)
    state = Path(newest.replace("model_state", "training_state")).read_bytes()
    for weights, beside in ((b"PK\x03\x04 half", b"PK\x03\x04 half"), (bytes(flipped), state)):
        Path(broken).write_bytes(weights)
        Path(broken.replace("model_state", "training_state")).write_bytes(beside)
        said.clear()
        assert checkpointer.load_checkpoint().trainer_state["epochs_completed"] == EPOCHS
        assert said and "using the previous one" in said[0]


def test_a_killed_process_is_recovered_from_the_command_line(tmp_path):
    """As a user would: `allennlp train`, kill -9, `allennlp train --recover`."""
    run = tmp_path / "run"
    command = [sys.executable, "-m", "udify_allennlp", "train", TINY, "-s", str(run)]
    command += ["--include-package", "udify_allennlp", "-o", '{"trainer.num_epochs": 4}']
    command += ["--keep-checkpoints"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.time() + 180
    while not list(run.glob("training_state_*.th")) and time.time() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (run / "model.tar.gz").exists()
    subprocess.run([*command, "--recover"], env=environment, check=True, capture_output=True)
    assert (run / "model.tar.gz").exists()

    subprocess.run(
        [*command[:5], "-s", str(tmp_path / "whole"), *command[7:]],
        env=environment,
        check=True,
        capture_output=True,
    )
    first, second = (last_checkpoint(folder) for folder in (run, tmp_path / "whole"))
    assert first.trainer_state["epochs_completed"] == 4
    for name, value in first.model_state.items():
        assert torch.equal(value, second.model_state[name]), name


def test_a_run_of_an_earlier_release_is_not_taken_up(tmp_path):
    """Its optimizer has no names for weights, whose order was another."""
    state = RunState(str(tmp_path))
    trainer = SimpleNamespace(model=torch.nn.ModuleDict({"b": torch.nn.Linear(2, 1)}))
    state.trainer = trainer
    state.load_state_dict({"parameters": ["b.weight", "b.bias"]})
    for saved in ({}, {"parameters": ["b.bias", "b.weight"]}):
        with pytest.raises(ConfigurationError, match="an earlier release, whose weights have"):
            state.load_state_dict(saved)
