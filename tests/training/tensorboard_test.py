"""The event files of a run with TensorBoard."""

import struct
from collections import defaultdict
from types import SimpleNamespace

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.training.callbacks import TensorBoardCallback, TrainerCallback
from tensorboardX.proto.event_pb2 import Event

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from udify_allennlp.training import epoch, running_loss
from udify_allennlp.training.callbacks import TensorBoard, Unfreeze

STEPS = 5  # of an epoch: 40 sentences in batches of 8
CONFIG = f"""
(import '{CONFIGS}/tiny.jsonnet') + (import '{CONFIGS}/parts/tensorboard.libsonnet')(every=2)
"""


@pytest.fixture(autouse=True)
def paths(monkeypatch, small_data):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])


def train(folder, **settings):
    """Two epochs; gives the points of each curve: of each file, by tag, values by step."""
    config = folder.with_suffix(".jsonnet")
    config.write_text(CONFIG)
    overrides = {"trainer.num_epochs": 2}
    overrides.update({f"trainer.{key}": value for key, value in settings.items()})
    train_model_from_file(str(config), str(folder), overrides=overrides)
    return {name: points(folder / "log" / name) for name in ("train", "validation")}


def points(folder):
    """A record of an event file is its length, a checksum, the event and another checksum."""
    found = defaultdict(dict)
    for path in folder.iterdir():
        content = path.read_bytes()
        while content:
            (length,) = struct.unpack("<Q", content[:8])
            event = Event.FromString(content[12 : 12 + length])
            for value in event.summary.value:
                found[value.tag][event.step] = value.simple_value
            content = content[16 + length :]
    return found


def test_the_part_logs_losses_rates_norms_and_scores(tmp_path):
    curves = train(tmp_path / "run")
    train_curves, validation = curves["train"], curves["validation"]
    logged = [step + 1 for step in range(1, 2 * STEPS + 1) if step % 2 == 0]  # AllenNLP adds 1
    for tag in ("train/batch_loss", "gradient_norm"):
        assert list(train_curves[tag]) == logged
        assert all(value > 0 for value in train_curves[tag].values())
    assert list(train_curves["train/loss"]) == [1, 2]  # by epoch
    for name in ("UPOS", "UFeats", "Lemmas", "UAS", "LAS", "loss"):
        assert list(validation[f"validation/{name}"]) == [1, 2]
    # One curve a parameter group. The encoder is frozen for an epoch; then its warm-up starts.
    encoder, others = (
        train_curves[f"learning_rate/{name}"] for name in ("0_embedder", "1_decoders_mixes")
    )
    assert sum(tag.startswith("learning_rate/") for tag in train_curves) == 2
    assert list(encoder.values()) == pytest.approx([0, 0, 0.2e-3, 0.6e-3, 1e-3])
    assert list(others.values()) == pytest.approx([3e-3, 3e-3, 0.6e-3, 1.8e-3, 3e-3])


def test_the_callback_of_allennlp_works_with_everything_turned_on(tmp_path):
    everything = {
        "type": "tensorboard",
        "summary_interval": 2,
        "distribution_interval": 4,
        "batch_size_interval": 2,
        "should_log_parameter_statistics": True,
        "should_log_learning_rate": True,
    }
    found = train(tmp_path / "run", callbacks=[everything])["train"]
    assert found["train/batch_size"][3] == 8
    kinds = {tag.split("/")[0] for tag in found}
    assert kinds == {
        "train",
        "gradient_norm",
        "learning_rate",
        *("parameter_mean", "parameter_std", "gradient_mean", "gradient_std"),
        *("parameter_histogram", "gradient_update"),
    }


def test_between_logged_steps_no_figure_is_fetched(tmp_path, monkeypatch):
    """As on a GPU, where fetching one waits until all that is queued is done."""
    exact = train(tmp_path / "exact")
    fetch, fetched = running_loss.RunningLoss.fetch, []

    def counted(self):
        fetched.extend([1] if self._waiting else [])
        fetch(self)

    monkeypatch.setattr(running_loss, "SECONDS", float("inf"))
    monkeypatch.setattr(running_loss.RunningLoss, "fetch", counted)
    monkeypatch.setattr(epoch, "_must_be_exact", lambda trainer: False)
    assert train(tmp_path / "run") == exact
    # After steps 2, 4 and 5, the end of the epoch, and after 6, 8 and 10.
    assert len(fetched) == 6


def test_on_a_gpu_only_a_callback_that_may_read_every_step_slows_it(tmp_path):
    class Reader(TrainerCallback):
        def on_batch(self, *args, **kwargs):
            pass

    quiet = [TensorBoard(str(tmp_path)), TensorBoardCallback(str(tmp_path)), Unfreeze("")]
    for callbacks, expected in ((quiet, False), ([*quiet, Reader("")], True)):
        trainer = SimpleNamespace(cuda_device=torch.device("cuda"), _callbacks=callbacks)
        assert epoch._must_be_exact(trainer) is expected
