"""The schedule of order transfer: warm-up, and decays from the best weights on."""

from typing import Any

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, Vocabulary
from allennlp.models import Model

from udify_allennlp.training.checkpointer import AtomicCheckpointer
from udify_allennlp.training.decay_from_best import DecayFromBest
from udify_allennlp.training.optimizers import FusedAdamW
from udify_allennlp.training.schedulers import Warmup
from udify_allennlp.training.trainer import UdifyTrainer


class Planned(Model):
    """One weight that each update moves, and a metric that follows a plan."""

    def __init__(self, plan) -> None:
        super().__init__(Vocabulary())
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.plan = iter(plan)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"loss": (self.weight * x).sum()}

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        return {"score": next(self.plan)} if reset and not self.training else {}


class Ones(DataLoader):
    def __len__(self) -> int:
        return 4

    def __iter__(self) -> Any:
        return iter([{"x": torch.ones(1)}] * 4)

    def iter_instances(self) -> Any:
        return iter(())

    def index_with(self, vocab: Vocabulary) -> None:
        pass

    def set_target_device(self, device: torch.device) -> None:
        pass


class Watch(DecayFromBest):
    """Notes the rate and the weight before and after each epoch's decision."""

    def on_epoch(self, trainer, metrics, epoch, is_primary=True, **kwargs):
        before = trainer.model.weight.item()
        super().on_epoch(trainer, metrics, epoch, is_primary, **kwargs)
        rate = trainer._learning_rate_scheduler.base_values[0]
        self.seen.append((rate, before, trainer.model.weight.item()))


def train(plan, folder, development=True, **settings):
    model = Planned(plan)
    optimizer = FusedAdamW(list(model.named_parameters()), lr=0.1, weight_decay=0.0)
    callback = Watch(str(folder), **settings)
    callback.seen = []
    trainer = UdifyTrainer(
        model=model,
        optimizer=optimizer,
        data_loader=Ones(),
        validation_data_loader=Ones() if development else None,
        num_epochs=len(plan),
        validation_metric="+score",
        serialization_dir=str(folder),
        learning_rate_scheduler=Warmup(optimizer, num_steps_per_epoch=4),
        checkpointer=AtomicCheckpointer(str(folder)),
        callbacks=[callback],
    )
    metrics = trainer.train()
    return callback, metrics


def test_decays_start_from_the_best_weights_and_end_training(tmp_path):
    plan = [1, 5, 2, 2, 6, 1, 1, 1, 1, 1, 1, 1]
    callback, metrics = train(plan, tmp_path, patience=2, factor=0.5, most_decays=3)
    rates, before, after = zip(*callback.seen)
    # Best at epochs 1 and 4; nothing better for two epochs at 3, 6 and 8.
    assert rates == pytest.approx((0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025))
    assert after[3] == before[1] and after[6] == before[4]
    assert [a == b for b, a in zip(before, after)] == [e not in (3, 6) for e in range(9)]
    assert metrics["best_epoch"] == 4 and metrics["epoch"] == 8
    assert metrics["best_validation_score"] == 6


def test_without_development_data_nothing_decays(tmp_path):
    callback, _ = train([1] * 4, tmp_path, development=False, patience=1)
    assert [rate for rate, _, _ in callback.seen] == [0.1] * 4


def test_patience_doubles(tmp_path):
    callback, _ = train([9] + [1] * 8, tmp_path, patience=1, factor=0.5, doubled_every=2)
    rates = [round(0.1 / rate) for rate, _, _ in callback.seen]
    assert rates == [1, 2, 4, 4, 8, 8, 16, 16, 16]


def test_the_warm_up_rises_for_an_epoch_and_stays():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=2.0)
    scheduler = Warmup(optimizer, warmup_epochs=1, num_steps_per_epoch=4)
    rates = []
    for _ in range(6):
        scheduler.step_batch()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == [0.5, 1.0, 1.5, 2.0, 2.0, 2.0]
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == 2.0


def test_what_cannot_be_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="patience is 0"):
        DecayFromBest(str(tmp_path), patience=0)
    with pytest.raises(ConfigurationError, match="warmup_epochs is 0"):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=2.0)
        Warmup(optimizer, warmup_epochs=0, num_steps_per_epoch=4)

    class Without:
        _learning_rate_scheduler = None

    with pytest.raises(ConfigurationError, match="Add udify_warmup"):
        DecayFromBest(str(tmp_path)).on_start(Without())
