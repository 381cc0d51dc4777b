"""The trainer knows no sentences: it trains any model, and a step may be several updates."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, Vocabulary
from allennlp.models import Model
from allennlp.training import Trainer

from udify_allennlp.training.epoch import Step
from udify_allennlp.training.optimizers import FusedAdamW
from udify_allennlp.training.trainer import UdifyTrainer

LETTERS = 8


class Reversing(Model):
    """A sequence-to-sequence model: it learns to write a word backwards."""

    def __init__(self) -> None:
        super().__init__(Vocabulary())
        self.letters = torch.nn.Embedding(LETTERS + 1, 32)
        self.reads = torch.nn.GRU(32, 32, batch_first=True)
        self.writes = torch.nn.GRU(32, 32, batch_first=True)
        self.output = torch.nn.Linear(32, LETTERS)
        self.right = self.seen = 0

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> dict[str, torch.Tensor]:
        _, state = self.reads(self.letters(source))
        before = torch.nn.functional.pad(target[:, :-1], (1, 0), value=LETTERS)
        scores = self.output(self.writes(self.letters(before), state)[0])
        self.right += int((scores.argmax(-1) == target).all(1).sum())
        self.seen += len(target)
        return {"loss": torch.nn.functional.cross_entropy(scores.flatten(0, 1), target.flatten())}

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        found = {"words": 100 * self.right / max(self.seen, 1)}
        if reset:
            self.right = self.seen = 0
        return found


class Words(DataLoader):
    """Batches of random words; it counts nothing, unless a test says so."""

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def __len__(self) -> int:
        return self.batches

    def __iter__(self) -> Iterator[Any]:
        for _ in range(self.batches):
            rows = [[random.randrange(LETTERS) for _ in range(3)] for _ in range(16)]
            source = torch.tensor(rows)
            yield {"source": source, "target": source.flip(1)}

    def iter_instances(self) -> Any:
        return iter(())

    def index_with(self, vocab: Any) -> None:
        pass

    def set_target_device(self, device: Any) -> None:
        pass


def trained(cls: type = UdifyTrainer, epochs: int = 6, loader: Any = None, **settings: Any) -> Any:
    random.seed(1)
    torch.manual_seed(1)
    model = Reversing()
    trainer = cls(
        model=model,
        optimizer=FusedAdamW(list(model.named_parameters()), lr=1e-2),
        data_loader=loader or Words(40),
        validation_data_loader=Words(5),
        validation_metric="+words",
        num_epochs=epochs,
        cuda_device=-1,
        **settings,
    )
    return trainer, trainer.train()


def test_a_sequence_to_sequence_model_learns():
    _, metrics = trained()
    assert metrics["best_validation_words"] > 80 and metrics["best_validation_loss"] < 0.5


class Twice(UdifyTrainer):
    """Two updates of each batch, as refinement makes them."""

    def train_step(self, *batches: Any) -> Step:
        self.accumulate(*batches)
        self.update()
        outputs = self.accumulate(*batches)
        norm = self.update()
        self.done()
        return Step(outputs, norm)


def test_a_step_may_make_several_updates_of_one_batch():
    trainer, metrics = trained(Twice, epochs=2)
    assert trainer._total_batches_completed == 80
    state, *_ = trainer.optimizer.state.values()
    assert int(state["step"]) == 160
    _, once = trained(epochs=2)
    assert metrics["best_validation_loss"] < once["best_validation_loss"]


@pytest.mark.parametrize("counts", [False, True])
def test_progress_is_shown_in_what_the_loader_counts(counts, capsys):
    loader = Words(40)
    if counts:
        loader.unit, loader.count = "letters", lambda batch: batch["source"].numel()
    trained(epochs=1, loader=loader)
    shown = capsys.readouterr().err
    assert (" letters/s" in shown) == counts and (" batches/s" in shown) != counts
    assert "sentences" not in shown


def test_it_is_still_a_trainer_of_allennlp():
    assert Trainer.by_name("udify") is not None


def from_config(model, groups, **settings):
    optimizer = {"type": "udify_adamw", "parameter_groups": groups}
    params = Params({"type": "udify", "optimizer": optimizer, "cuda_device": -1, **settings})
    return Trainer.from_params(params, model=model, serialization_dir=None, data_loader=Words(1))


def test_groups_of_parameters_are_of_parameters():
    trainer = from_config(Reversing(), [[["^reads"], {"lr": 0.5}]], no_grad=["^writes"])
    assert [group["lr"] for group in trainer.optimizer.param_groups] == [0.5, 1e-3]
    frozen = from_config(Reversing(), [[["^writes"], {"lr": 0.5}]], no_grad=["^writes"])
    assert not frozen.optimizer.param_groups[0]["params"]  # it matches, all the same
    with pytest.raises(
        ConfigurationError, match="groups.1: '.*' matches no parameter.* letters.wei"
    ):
        from_config(Reversing(), [[["^reads"], {"lr": 0.5}], [["^readers"], {"lr": 1.0}]])
    with pytest.raises(ConfigurationError, match="reads.weight_ih_l0 is in 0 and in 1"):
        from_config(Reversing(), [[["^reads"], {"lr": 0.5}], [["ih"], {"lr": 1.0}]])
