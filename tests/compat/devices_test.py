import json
import sys

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import Trainer, gradient_descent_trainer

from tests.conftest import FIXTURES
from tests.helpers import ENCODER
from udify_allennlp import Parser, cli
from udify_allennlp.compat.devices import check_for_gpu

MODEL = str(FIXTURES / "archives" / "all_decoders" / "model.tar.gz")
DEV = str(FIXTURES / "ud" / "en_ewt-ud-dev.conllu")


@pytest.fixture
def gpus(monkeypatch):
    return lambda count: monkeypatch.setattr(torch.cuda, "device_count", lambda: count)


@pytest.mark.parametrize("count, good, bad", [(0, [-1], [0]), (1, [0], [1]), (2, [0, 1], [2, -2])])
def test_each_number_is_looked_at(gpus, count, good, bad):
    gpus(count)
    check_for_gpu([*good, None, torch.device("cpu")])
    for number in bad:
        with pytest.raises(ConfigurationError, match=f"GPU {number} was requested"):
            check_for_gpu([*good, number])
    with pytest.raises(ConfigurationError, match="GPU 5 was requested"):
        check_for_gpu(torch.device("cuda:5"))
    assert gradient_descent_trainer.check_for_gpu is check_for_gpu and Trainer


@pytest.mark.parametrize(
    "words",
    [
        ("predict", MODEL, DEV, "--cuda-device", "0"),
        ("evaluate", MODEL, DEV, "--cuda-device", "0"),
        ("ud-serve", MODEL, "--port", "0", "--cuda-device", "0"),
        ("ud-parse", MODEL, DEV, "--out", "out", "--cuda-device", "0"),
        ("train", "tiny", "-s", "run", "-o", json.dumps({"trainer.cuda_device": 0})),
    ],
    ids=lambda words: words[0],
)
def test_commands_say_in_one_line_that_there_is_no_gpu(gpus, monkeypatch, capfd, tmp_path, words):
    gpus(0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    for name, value in (("UD_TRAIN", DEV), ("UD_DEV", DEV), ("UD_ENCODER", ENCODER)):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["allennlp", *words])
    assert cli.run() == 1
    assert (
        capfd.readouterr().err.splitlines()[-1].startswith("allennlp: error: GPU 0 was requested")
    )
    assert not (tmp_path / "run").exists()


def test_the_parser_says_so_too(gpus):
    gpus(0)
    with pytest.raises(ConfigurationError, match="GPU 0 was requested"):
        Parser.load(MODEL, cuda_device=0)
