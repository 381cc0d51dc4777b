"""A trained model where an encoder is named: training starts from its encoder."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import archive_model, load_archive

from tests.conftest import CONFIGS
from tests.helpers import DEV, ENCODER, execute
from tests.saved_model import save_run
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.data import encoder_files
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("run"))


def weights(encoder):
    return encoder.transformer.state_dict()


def test_the_encoder_of_a_run_and_of_its_archive_are_that_of_the_model(run, tmp_path):
    archive_model(run, "best.th", tmp_path / "model.tar.gz", ["encoder"])
    trained = weights(load_archive(str(run)).model.embedder)
    for name in (run, tmp_path / "model.tar.gz"):
        found = weights(HuggingFaceEncoder(str(name)))
        assert found.keys() == trained.keys()
        assert all(torch.equal(found[key], trained[key]) for key in trained)
        assert WordpieceTokenizer(str(name))(["snores"]) == WordpieceTokenizer(ENCODER)(["snores"])
    untouched = weights(HuggingFaceEncoder(ENCODER))
    assert any(not torch.equal(untouched[key], trained[key]) for key in trained)


def test_a_folder_of_transformers_and_a_hub_name_are_themselves():
    assert encoder_files.locate(ENCODER) == ENCODER
    assert encoder_files.locate("bert-base-multilingual-cased") == "bert-base-multilingual-cased"


def test_what_is_no_archive_is_said_in_one_line(tmp_path):
    path = tmp_path / "model.tar.gz"
    path.write_bytes(b"no archive")
    with pytest.raises((ArchiveError, ConfigurationError), match="model.tar.gz") as error:
        HuggingFaceEncoder(str(path))
    assert "\n" not in str(error.value)


def test_nothing_is_left_on_the_disk(run, tmp_path):
    code = (
        "import sys, udify_allennlp; from udify_allennlp.data import encoder_files;"
        "print(encoder_files.locate(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(run)], capture_output=True, text=True, check=True
    )
    assert "udify-encoder-" in done.stdout and not Path(done.stdout.strip()).exists()


def test_a_run_starts_from_a_model_and_its_archive_needs_it_no_more(run, tmp_path, monkeypatch):
    for name, value in (("UD_ENCODER", str(run)), ("UD_TRAIN", DEV), ("UD_DEV", "")):
        monkeypatch.setenv(name, value)
    out = tmp_path / "out"
    overrides = json.dumps({"trainer.num_epochs": 1, "trainer.optimizer.lr": 0.0})
    assert execute("train", CONFIGS / "tiny.jsonnet", "-s", out, "-o", overrides) == 0
    trained = weights(load_archive(str(run)).model.embedder)
    monkeypatch.setattr(encoder_files, "ENCODER_FINDERS", [])
    found = weights(load_archive(str(out / "model.tar.gz")).model.embedder)
    assert found.keys() == trained.keys()
