"""The card of a model, written during training."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional

from allennlp.training import GradientDescentTrainer

from udify_allennlp.archives.card import Card, card_of, finish_card, write_card
from udify_allennlp.training.callbacks import RUN_CALLBACKS, Callback
from udify_allennlp.training.run_plan import training_data


@RUN_CALLBACKS.add
class WriteCard(Callback):
    """
    A callback that writes `card.json` into the run folder after each epoch, since an
    interrupted run is archived, too: until training is finished, the card shows its progress.
    `udify` trainers add it by default. The encoder and the tasks are those of the model.

    # Parameters

    serialization_dir : `Optional[str]`
    """

    def __init__(self, serialization_dir: Optional[str]) -> None:
        super().__init__(serialization_dir or "")
        self._older = Card()

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        archive = getattr(trainer.model, "started_from", None)
        if is_primary and archive is not None:
            self._older = card_of(archive)

    def after_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, is_primary: bool
    ) -> None:
        config = Path(self.serialization_dir, "config.json")
        if is_primary and self.serialization_dir and config.is_file():
            treebanks, corpora = training_data(trainer)
            model: Any = trainer.model
            encoder = getattr(getattr(model, "embedder", None), "model_name", "")
            tasks: Iterable[str] = getattr(model, "predicts", dict)()
            folder = self.serialization_dir
            done = f"epoch {epoch + 1} of {trainer._num_epochs}"
            write_card(folder, treebanks, metrics, self._older, encoder, tasks, corpora, done)

    def end(self, is_primary: bool) -> None:
        if is_primary and self.serialization_dir:
            finish_card(self.serialization_dir)
