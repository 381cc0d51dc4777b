"""Two processes that pre-train together make the updates of one that sums their batches."""

import json

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from tests.helpers.processes import allennlp
from udify_allennlp.text.conllu import read_sentences

CONFIG = CONFIGS / "pretraining" / "small_cpu.jsonnet"
UPDATES = 8
"""Number of updates per epoch; the second epoch is the second phase."""


def settings(**more):
    return {
        # Each batch would draw its own masks and dropout.
        "model.masking": {"rate": 0.999999, "masked": 1.0, "replaced": 0.0},
        "model.embedder.dropout": 0.0,
        "model.decoders.deps.head_dim": 8,
        "model.decoders.deps.dependent_dim": 4,
        "data_loader.treebanks.batch_size": 4,  # ten batches
        "data_loader.texts.batch_size": 4,  # sixteen batches per pool
        "data_loader.texts.buffer_size": 9,
        "trainer.cpu_bfloat16": False,
        "trainer.phases": [{"updates": UPDATES}, {"rates": {"treebanks": 0.5}}],
        "trainer.num_epochs": 2,
        "trainer.checkpointer.keep_most_recent_by_count": 9,
        **more,
    }


@pytest.fixture(scope="module")
def paths(tmp_path_factory, small_data):
    text = tmp_path_factory.mktemp("texts") / "en.txt"
    text.write_text("".join(" ".join(s.forms) + "\n" for s in read_sentences(small_data[0])))
    given = {"UD_TRAIN": small_data[0], "UD_DEV": small_data[1], "UD_HELD_OUT": small_data[1]}
    return {**given, "UD_TEXTS": str(text), "UD_ENCODER": ENCODER}


def weights(run, epoch):
    return torch.load(run / f"model_state_e{epoch}_b0.th", weights_only=True)


def test_two_processes_make_the_updates_of_one(tmp_path, paths, monkeypatch):
    for name, value in paths.items():
        monkeypatch.setenv(name, value)
    summed = settings(
        **{
            "data_loader.texts.batches_per_epoch": 2 * UPDATES,
            "trainer.num_gradient_accumulation_steps": 2,
        }
    )
    train_model(Params.from_file(str(CONFIG), json.dumps(summed)), str(tmp_path / "one"))
    parallel = settings(
        **{
            "data_loader.texts.batches_per_epoch": UPDATES,
            "distributed": {
                "cuda_devices": [-1, -1],
                "ddp_accelerator": {"type": "torch", "find_unused_parameters": True},
            },
        }
    )
    options = ["--include-package", "udify_allennlp", "-s", tmp_path / "two", "--keep-checkpoints"]
    allennlp("train", CONFIG, *options, "-o", json.dumps(parallel), **paths)
    one, two = (weights(tmp_path / run, 1) for run in ("one", "two"))
    for name, value in one.items():
        torch.testing.assert_close(two[name], value, atol=1e-5, rtol=1e-4, msg=name)
    metrics = [json.loads((tmp_path / run / "metrics.json").read_text()) for run in ("one", "two")]
    assert all(each["epoch"] == 1 and each["validation_LAS"] > 0 for each in metrics)
    moved = weights(tmp_path / "two", 2)
    assert any(not moved[name].equal(two[name]) for name in moved if "integration" in name)
