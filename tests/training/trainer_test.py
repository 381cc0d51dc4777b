import json

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError

from tests.conftest import CONFIGS
from tests.helpers import ENCODER, make_model, read, tensors
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.training import optimizers, trainer
from udify_allennlp.training.checkpointer import AtomicCheckpointer
from udify_allennlp.training.gradients import clip_norm
from udify_allennlp.training.schedulers import InverseSqrt


@pytest.fixture(autouse=True)
def paths(monkeypatch, small_data):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])


def train(folder, **settings):
    overrides = {f"trainer.{key}": value for key, value in settings.items()}
    config = str(CONFIGS / "tiny.jsonnet")
    return train_model_from_file(config, str(folder), overrides=overrides)


def test_use_amp_without_a_gpu_trains_in_float32_and_says_so(tmp_path, monkeypatch):
    if torch.cuda.is_available():
        pytest.skip("not here: there is a GPU, and the message is for machines without")
    said = []  # AllenNLP puts its own handlers in the place of pytest's
    monkeypatch.setattr(trainer.logger, "info", said.append)
    train(tmp_path / "run", num_epochs=1)
    assert any("it trains in float32" in message for message in said)


def test_a_cpu_that_does_not_multiply_bfloat16_trains_in_float32(tmp_path, monkeypatch):
    """Training in bfloat16 took 25 times as long."""
    said = []
    monkeypatch.setattr(trainer.logger, "info", said.append)
    monkeypatch.setattr(trainer.precision, "multiplies_bfloat16", lambda: False)
    train(tmp_path / "asked", num_epochs=1, cpu_bfloat16=True, cuda_device=-1)
    assert any("does not multiply bfloat16" in message for message in said)
    train(tmp_path / "whole", num_epochs=1, cuda_device=-1)
    losses = [
        json.loads((tmp_path / name / "metrics_epoch_0.json").read_text())["training_loss"]
        for name in ("asked", "whole")
    ]
    assert losses[0] == losses[1]


def test_bfloat16_on_a_cpu_learns_too(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer.precision, "multiplies_bfloat16", lambda: True)
    found = {}
    for name, bfloat16 in (("whole", False), ("half", True)):
        model = train(tmp_path / name, num_epochs=6, cpu_bfloat16=bfloat16, cuda_device=-1)
        assert all(p.dtype == torch.float32 for p in model.parameters())
        files = [tmp_path / name / f"metrics_epoch_{epoch}.json" for epoch in range(6)]
        found[name] = [json.loads(file.read_text()) for file in files]
    for name in ("training_loss", "validation_loss"):
        whole, half = ([epoch[name] for epoch in found[run]] for run in ("whole", "half"))
        assert half != whole and half == pytest.approx(whole, rel=0.01)
        assert half[-1] < 0.8 * half[0]
    for name in ("validation_UPOS", "validation_Lemmas", "validation_LAS"):
        # Of the 130 words of the development file.
        assert found["half"][-1][name] == pytest.approx(found["whole"][-1][name], abs=3)
    assert found["half"][-1]["validation_UPOS"] > 2 * found["half"][0]["validation_UPOS"]


def test_small_data_have_more_epochs(tmp_path, monkeypatch):
    """40 sentences are 5 batches of 8, or one more or less: their lengths are noisy."""

    def epochs(name, least_steps):
        train(tmp_path / name, num_epochs=2, least_steps=least_steps)
        return len(list((tmp_path / name).glob("metrics_epoch_*.json")))

    assert epochs("enough", 7) == 2
    assert 4 <= epochs("few", 21) <= 6
    cooled = {"type": "udify_inverse_sqrt", "warmup_epochs": 1, "cooldown": 0.5}
    told = set()
    monkeypatch.setattr(InverseSqrt, "step", lambda self, metric: told.add(self.num_epochs))
    train(tmp_path / "cooled", num_epochs=2, least_steps=21, learning_rate_scheduler=cooled)
    assert told <= {4, 5, 6}
    schedule = {"type": "linear_with_warmup", "warmup_steps": 1}
    with pytest.raises(ConfigurationError, match="use udify_inverse_sqrt"):
        train(tmp_path / "linear", least_steps=9, learning_rate_scheduler=schedule)


@pytest.mark.gpu
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
    pretrained = HuggingFaceEncoder(ENCODER).state_dict()
    model = train(tmp_path / "one", num_epochs=1)
    for name, value in model.embedder.state_dict().items():
        assert torch.equal(value, pretrained[name]), name
    train(tmp_path / "two", num_epochs=2)  # gives the best epoch, perhaps the first
    last = AtomicCheckpointer(str(tmp_path / "two")).load_checkpoint().model_state
    assert any(not last[f"embedder.{name}"].equal(value) for name, value in pretrained.items())


def test_a_prefix_that_matches_nothing_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no parameter's name starts with 'bert'"):
        train(tmp_path / "run", callbacks=[{"type": "udify_unfreeze", "prefix": "bert"}])


def test_lazy_embeddings_end_where_dense_ones_do(tmp_path, monkeypatch):
    states = []
    for name, size in (("dense", 2**40), ("lazy", 1)):
        monkeypatch.setattr(optimizers, "LARGE_EMBEDDING", size)
        train(tmp_path / name, num_epochs=3)
        states.append(AtomicCheckpointer(str(tmp_path / name)).load_checkpoint())
    table = "embedder.transformer.embeddings.word_embeddings.weight"
    pretrained = HuggingFaceEncoder(ENCODER).state_dict()[table.removeprefix("embedder.")]
    dense, lazy = (state.model_state[table] for state in states)
    # AdamW makes something of every rounding error where a gradient is nearly zero.
    assert (lazy - dense).norm() < 0.01 * (dense - pretrained).norm()
    steps = [
        {int(each["step"]) for each in state.trainer_state["optimizer"]["state"].values()}
        for state in states
    ]
    assert steps[0] == steps[1]


@pytest.mark.parametrize("grad_norm", [True, 0.01])
def test_gradients_are_clipped_as_torch_does_sparse_ones_too(grad_norm):
    def model():
        torch.manual_seed(0)
        layers = torch.nn.Embedding(9, 4), torch.nn.Linear(4, 2)
        return torch.nn.Sequential(*layers)

    dense, sparse = model(), model()
    sparse[0].sparse = True
    ids = torch.tensor([1, 5, 5, 7])
    for each in (dense, sparse):
        (each(ids) ** 2).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(
        dense.parameters(), float("inf") if grad_norm is True else grad_norm
    )
    torch.testing.assert_close(clip_norm(sparse, grad_norm), norm)
    assert sparse[0].weight.grad.is_sparse
    for expected, parameter in zip(dense.parameters(), sparse.parameters()):
        torch.testing.assert_close(parameter.grad.to_dense(), expected.grad)


def test_a_nan_stops_the_run_before_it_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(MultitaskModel, "forward", nan_after(3, MultitaskModel.forward))
    with pytest.raises(ValueError, match="the loss is NaN in update 4 of epoch 1"):
        train(tmp_path / "run", num_epochs=1, checkpointer={"save_every_num_batches": 1})
    saved = AtomicCheckpointer(str(tmp_path / "run")).load_checkpoint().model_state
    assert all(value.isfinite().all() for value in saved.values())


def nan_after(count, forward):
    calls = []

    def patched(self, *args, **kwargs):
        output = forward(self, *args, **kwargs)
        calls.append(1)
        return {**output, "loss": output["loss"] * (float("nan") if len(calls) > count else 1)}

    return patched


def test_a_step_never_asks_a_gpu_for_a_number():
    """
    On the device `meta` tensors have shapes and no numbers: whatever would make the CPU wait for a
    GPU (`item`, `nonzero`, an index by a mask) raises there.
    """
    model = make_model().train().to("meta")
    batch = tensors(read(count=8), model.vocab)
    # As the loader does for a GPU: wordpieces go there, labels stay.
    for field in ("wordpieces", "layout"):
        batch[field] = {name: tensor.to("meta") for name, tensor in batch[field].items()}
    loss = model(**batch)["loss"]
    loss.backward()
    norm = clip_norm(model, 5.0)
    assert loss.is_meta and norm.is_meta
    assert all(p.grad is not None for n, p in model.named_parameters() if "embeddings" not in n)
