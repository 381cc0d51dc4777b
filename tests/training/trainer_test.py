import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS
from tests.helpers import ENCODER
from udify_allennlp.modules.encoder import Encoder
from udify_allennlp.training import AtomicCheckpointer, trainer


@pytest.fixture(autouse=True)
def paths(monkeypatch, small_data):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])


def train(folder, **settings):
    overrides = {f"trainer.{key}": value for key, value in settings.items()}
    config = str(CONFIGS / "quickstart.jsonnet")
    return train_model_from_file(config, str(folder), overrides=overrides)


def test_use_amp_without_a_gpu_trains_in_float32_and_says_so(tmp_path, monkeypatch):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU; the message is for machines without")
    said = []  # AllenNLP puts its own handlers in the place of pytest's
    monkeypatch.setattr(trainer.logger, "warning", said.append)
    train(tmp_path / "run", num_epochs=1)
    assert any("it trains in float32" in message for message in said)


def test_bfloat16_on_a_cpu_learns_too(tmp_path):
    model = train(tmp_path / "run", num_epochs=2, cpu_bfloat16=True, cuda_device=-1)
    assert all(p.dtype == torch.float32 and p.isfinite().all() for p in model.parameters())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mixed_precision_on_a_gpu(tmp_path, dtype):
    seen = set()
    forward = torch.nn.functional.linear

    def spy(*args, **kwargs):
        result = forward(*args, **kwargs)
        seen.add(result.dtype)
        return result

    torch.nn.functional.linear = spy
    try:
        train(tmp_path / "run", num_epochs=2, amp_dtype=dtype)
    finally:
        torch.nn.functional.linear = forward
    assert getattr(torch, dtype) in seen


def test_an_unknown_dtype_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="amp_dtype is 'float8'"):
        train(tmp_path / "run", amp_dtype="float8")


def test_the_encoder_is_frozen_for_one_epoch(tmp_path):
    pretrained = Encoder(ENCODER).state_dict()
    model = train(tmp_path / "one", num_epochs=1)
    for name, value in model.embedder.state_dict().items():
        assert torch.equal(value, pretrained[name]), name
    train(tmp_path / "two", num_epochs=2)  # gives the best epoch, perhaps the first
    last = AtomicCheckpointer(str(tmp_path / "two")).load_checkpoint().model_state
    assert any(not last[f"embedder.{name}"].equal(value) for name, value in pretrained.items())


def test_a_prefix_that_matches_nothing_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no parameter's name starts with 'bert'"):
        train(tmp_path / "run", callbacks=[{"type": "udify_unfreeze", "prefix": "bert"}])
