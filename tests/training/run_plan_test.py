"""Messages about a run before it begins, and in a long first epoch."""

from types import SimpleNamespace

import pytest
import torch

from udify_allennlp.training import epoch_line
from udify_allennlp.training.epoch_line import EpochLine
from udify_allennlp.training.run_plan import run_plan, updates_of_epoch


class Loader:
    def __init__(self, batches, **known):
        self.batches = batches
        for name, found in known.items():
            setattr(self, name, lambda found=found: found)

    def __len__(self):
        if self.batches is None:
            raise TypeError
        return self.batches


def trainer(batches, epochs=80, group=1, processes=1, start=0, **known):
    return SimpleNamespace(
        data_loader=Loader(batches, **known),
        cuda_device=torch.device("cpu"),
        _num_gradient_accumulation_steps=group,
        _num_epochs=epochs,
        _world_size=processes,
        _start_after_epochs_completed=start,
    )


def test_the_plan_has_what_is_known():
    treebanks = {
        "en_ewt": {"sentences": 200, "words": 3000},
        "de_gsd": {"sentences": 1, "words": 1},
    }
    device = f"cpu ({torch.get_num_threads()} thread"
    said = run_plan(trainer(15, group=2, treebanks=treebanks, corpora={"en_web": ""}))
    assert said.startswith(f"Training on {device}")
    assert said.endswith(
        ": 2 treebanks, 201 sentences, 3,001 words, 1 raw text; 8 updates per epoch, 80 epochs."
    )
    assert run_plan(trainer(None, epochs=1)).endswith("): 1 epoch.")
    assert "on 4 processes, the first on cpu" in run_plan(trainer(1, processes=4))
    assert updates_of_epoch(trainer(None)) is None and updates_of_epoch(trainer(7)) == 7


@pytest.mark.parametrize(
    "batches, start, expected",
    [
        (1000, 0, "an epoch takes 0:08:20, and the run 1:23:20"),
        (1000, 8, "run 0:16:40"),
        (199, 0, ""),
    ],
)
def test_a_long_epoch_is_estimated_once(monkeypatch, capsys, batches, start, expected):
    """Half a second an update; the first one took a minute."""
    now = [0.0]
    monkeypatch.setattr(epoch_line.time, "monotonic", lambda: now[0])
    line, run = EpochLine("out"), trainer(batches, epochs=10, start=start)
    line.on_start(run)
    now[0] = 60.0
    for _ in range(300):
        line.on_batch(run, is_training=True)
        line.on_batch(run, is_training=False)
        line.on_batch(run, is_training=True, is_primary=False)
        now[0] += 0.5
    plan, log, *told = capsys.readouterr().out.splitlines()
    assert plan == run_plan(run) and log == "Full log: out/out.log"
    assert len(told) == bool(expected) and expected in "".join(told)
