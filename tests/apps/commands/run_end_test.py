"""A finished run keeps only its archive; an unfinished one keeps its checkpoints."""

import shutil
import signal
import sys
from pathlib import Path

import pytest
import torch
from allennlp.training.callbacks import TrainerCallback

from tests.helpers import DEV, ENCODER
from udify_allennlp import Parser, cli
from udify_allennlp.archives.card import card_of
from udify_allennlp.archives.run_folder import has_checkpoint, is_over, keep_archive_alone
from udify_allennlp.text.conllu import read_sentences

SETTINGS = '{"trainer.num_epochs": 2}'


@pytest.fixture(scope="module")
def kept(tmp_path_factory, small_data):
    """The folder of a run that keeps all."""
    folder = tmp_path_factory.mktemp("over") / "run"
    with pytest.MonkeyPatch.context() as patch:
        assert train(patch, small_data, folder, "--keep-checkpoints") == 0
    return folder


def train(patch, data, folder, *more, settings=SETTINGS):
    for name, value in zip(("UD_ENCODER", "UD_TRAIN", "UD_DEV"), (ENCODER, *data)):
        patch.setenv(name, value)
    words = ["allennlp", "train", "tiny", "-s", str(folder), "-o", settings, *more]
    patch.setattr(sys, "argv", words)
    patch.delenv("ALLENNLP_DEBUG", raising=False)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        return cli.run()
    finally:
        signal.signal(signal.SIGTERM, handler)


def weights(folder):
    return sorted(path.name.partition("_e")[0] for path in folder.glob("*.th"))


def parses(folder):
    sentences = list(read_sentences(DEV))[:5]
    return [sentence.text for sentence in Parser.load(folder).parse(sentences)]


def test_the_archive_is_the_only_copy_in_the_end(kept, tmp_path, monkeypatch, capfd, small_data):
    assert weights(kept) == ["best.th", "model_state", "training_state"]
    run = tmp_path / "run"
    assert train(monkeypatch, small_data, run) == 0
    assert not weights(run) and is_over(run)
    assert (run / "model.tar.gz").read_bytes() == (kept / "model.tar.gz").read_bytes()
    assert parses(run) == parses(kept)
    # What is going to be done comes first, how large the model is last.
    said = capfd.readouterr().out
    device = f"cpu ({torch.get_num_threads()} thread"
    assert said.startswith(f"Training on {device}")
    plan = "1 treebank, 40 sentences, 612 words; 5 updates per epoch, 2 epochs."
    assert plan in said.splitlines()[0]
    megabytes = f"{(run / 'model.tar.gz').stat().st_size / 1e6:.1f} MB"
    assert said.splitlines()[-1] == (
        f"Its size: {megabytes}, with weights in float32. For a smaller archive: "
        f"allennlp ud-pack {run} --precision int8"
    )
    size = sum(path.stat().st_size for path in run.rglob("*") if path.is_file())
    assert size < 1.5 * (run / "model.tar.gz").stat().st_size
    # There is nothing to recover; another config still is a mistake.
    capfd.readouterr()
    assert train(monkeypatch, small_data, run, "--recover") == 0
    said = capfd.readouterr().out
    assert said == f"This run is finished. The model: {run}/model.tar.gz\n"
    other = '{"trainer.num_epochs": 3}'
    assert train(monkeypatch, small_data, run, "--recover", settings=other) == 1
    assert "does not match the configuration" in capfd.readouterr().err


@pytest.mark.parametrize("killed_after", range(4))
def test_a_run_killed_while_it_tidies_up_is_over(
    kept, tmp_path, monkeypatch, small_data, killed_after
):
    run = shutil.copytree(kept, tmp_path / "run")
    unlink, left = type(run).unlink, iter(range(killed_after, -1, -1))

    def killed(path, **kwargs):
        if not next(left):
            raise KeyboardInterrupt
        unlink(path, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(type(run), "unlink", killed)
        if killed_after < 3:
            with pytest.raises(KeyboardInterrupt):
                keep_archive_alone(run)
        else:
            keep_archive_alone(run)
    metrics = (run / "metrics.json").read_bytes()
    assert is_over(run) and has_checkpoint(run) == (killed_after == 0)
    assert parses(run) == parses(kept)
    assert train(monkeypatch, small_data, run, "--recover") == 0
    assert not weights(run) and (run / "metrics.json").read_bytes() == metrics
    assert (run / "model.tar.gz").read_bytes() == (kept / "model.tar.gz").read_bytes()


@TrainerCallback.register("test_interrupt_by_hand")
class InterruptByHand(TrainerCallback):
    """Control and C in the second epoch, when AllenNLP archives the first one's weights."""

    def on_batch(self, *args, is_training=True, **kwargs):
        if is_training and Path(self.serialization_dir, "best.th").exists():
            raise KeyboardInterrupt


def test_an_interrupted_run_keeps_what_it_goes_on_from(tmp_path, monkeypatch, small_data):
    run = tmp_path / "run"
    callbacks = '"trainer.callbacks": [{"type": "test_interrupt_by_hand"}]'
    settings = f'{{"trainer.num_epochs": 2, {callbacks}}}'
    assert train(monkeypatch, small_data, run, settings=settings) == 130
    assert (run / "model.tar.gz").exists() and not is_over(run)
    assert weights(run) == ["best.th", "model_state", "training_state"]
    for model in (run, run / "model.tar.gz"):
        assert card_of(str(model)).unfinished == "epoch 1 of 2"
    assert parses(run) == parses(run / "model.tar.gz")  # the archive is whole
    monkeypatch.setattr(InterruptByHand, "on_batch", TrainerCallback.on_batch)
    assert train(monkeypatch, small_data, run, "--recover", settings=settings) == 0
    assert is_over(run) and not weights(run) and card_of(str(run)).unfinished == ""


def test_mistakes_of_schedules_and_rates_are_one_line(tmp_path, monkeypatch, small_data, capfd):
    run = tmp_path / "run"
    assert train(monkeypatch, small_data, run, settings='{"trainer.num_epochs": 0}') == 1
    line = capfd.readouterr().err.splitlines()[-1]
    remedy = "so nothing would be trained. Set it to 1 or more."
    assert line == f"allennlp: error: trainer.num_epochs is 0, {remedy}"
    assert not run.exists()
    schedule = '{"type": "udify_inverse_sqrt", "warmup_steps": 100}'
    settings = (
        '{"trainer.num_epochs": 2, "trainer.optimizer.lr": 1e30, '
        f'"trainer.learning_rate_scheduler": {schedule}, "trainer.optimizer.parameter_groups": []}}'
    )
    assert train(monkeypatch, small_data, run, settings=settings) == 1
    out, said = capfd.readouterr()
    assert "warning: trainer.learning_rate_scheduler warms up for 100 updates" in out
    assert "this training has only 5: the learning rates never exceed 5% of their peak" in out
    line = said.splitlines()[-1]
    assert line.startswith("allennlp: error: the loss is NaN in update ")
    assert " of epoch 1. Lower the learning rate, or" in line and "Traceback" not in said
    assert (run / "out.log").exists()


def test_a_run_that_cannot_start_leaves_no_folder(kept, tmp_path, monkeypatch, small_data, capfd):
    empty = tmp_path / "en_empty-ud-train.conllu"
    empty.write_text("")
    run = tmp_path / "run"
    assert train(monkeypatch, (str(empty), small_data[1]), run) == 1
    assert "has no sentences" in capfd.readouterr().err and not run.exists()
    assert train(monkeypatch, (str(empty), small_data[1]), run) == 1
    assert "has no sentences" in capfd.readouterr().err  # not that the folder is there
    # Of a run that was there nothing is lost.
    run = shutil.copytree(kept, tmp_path / "kept")
    before = sorted(path.name for path in run.iterdir())
    for more in ([], ["--recover", "--force"]):
        assert train(monkeypatch, (str(empty), small_data[1]), run, *more) == 1
        assert sorted(path.name for path in run.iterdir()) == before
