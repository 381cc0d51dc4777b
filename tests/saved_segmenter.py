"""A small segmenter, trained on the fixtures for a few seconds by the shipped config."""

import json
import os
import sys
from pathlib import Path
from unittest import mock

from tests.conftest import CONFIGS, FIXTURES
from udify_allennlp import cli

FILES = [str(FIXTURES / "ud" / f"{name}.conllu") for name in ("de_gsd-ud-train", "fr_gsd-ud-dev")]
SMALL = {
    "model.hidden_dim": 24,
    "model.buckets": [512] * 7,
    "model.dim": 8,
    "model.dilations": [1, 2, 4],
    "data_loader.window": 200,
    "data_loader.epoch_size": 240,
    "data_loader.batch_size": 8,
    "trainer.num_epochs": 6,
    "trainer.optimizer.lr": 0.01,
}


def train_segmenter(folder: Path) -> Path:
    """Trains by command; gives the archive."""
    config = str(CONFIGS / "segmenter.jsonnet")
    overrides = json.dumps({**SMALL, "train_data_path": FILES})
    words = ["allennlp", "train", config, "-s", str(folder), "--overrides", overrides]
    paths = {"UD_TRAIN": FILES[0], "UD_DEV": FILES[1]}
    with mock.patch.dict(os.environ, paths), mock.patch.object(sys, "argv", words):
        assert cli.run() == 0
    return folder / "model.tar.gz"
