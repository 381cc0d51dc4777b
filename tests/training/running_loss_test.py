import pytest
import torch

from udify_allennlp.training import running_loss
from udify_allennlp.training.running_loss import NanLoss, RunningLoss


def test_every_step_is_fetched_at_once_where_that_is_asked_for():
    running = RunningLoss(every_step=True)
    assert running.add(torch.tensor(1.0), torch.tensor(0.5))
    assert running.add(torch.tensor(3.0), torch.tensor(0.25))
    assert (running.count, running.total, running.last) == (2, [4.0, 0.75], [3.0, 0.25])


def test_otherwise_steps_wait_and_none_is_lost(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(running_loss.time, "monotonic", lambda: now[0])
    running = RunningLoss(every_step=False)
    assert not running.add(torch.tensor(1.0))
    assert running.count == 0
    now[0] = 1.5
    assert running.add(torch.tensor(2.0))
    assert (running.count, running.total, running.last) == (2, [3.0], [2.0])
    assert not running.add(torch.tensor(4.0))
    running.fetch()
    assert (running.count, running.total) == (3, [7.0])


def test_a_nan_is_an_error_when_it_is_seen():
    running = RunningLoss(every_step=False, count=4, total=[1.0], epoch=3)
    running.add(torch.tensor(2.0))
    running.add(torch.tensor(float("nan")))
    with pytest.raises(NanLoss, match="the loss is NaN in update 6 of epoch 3. Lower the learning"):
        running.fetch()
