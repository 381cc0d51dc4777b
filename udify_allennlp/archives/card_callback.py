"""The card of a model, written while it is trained."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional

from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback

from udify_allennlp.archives.card import Card, card_of, finish_card, write_card
from udify_allennlp.training.callbacks import RUN_CALLBACKS
from udify_allennlp.training.run_plan import training_data


@RUN_CALLBACKS.add
class WriteCard(TrainerCallback):
    """
    Writes `card.json` into the folder of the run after each epoch, since a run that is interrupted
    is archived, too: until training is over, the card says how far it came. `udify` trainers add it
    themselves. The encoder and the tasks are those that the model names.

    # Parameters

    serialization_dir : `Optional[str]`
    """

    def __init__(self, serialization_dir: Optional[str]) -> None:
        super().__init__(serialization_dir or "")
        self._older = Card()

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        archive = getattr(trainer.model, "started_from", None)
        if is_primary and archive is not None:
            self._older = card_of(archive)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
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

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any] = None,  # type: ignore[assignment]
        epoch: int = None,  # type: ignore[assignment]
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        # Without metrics training ended in an error or was interrupted.
        if is_primary and self.serialization_dir and metrics is not None:
            finish_card(self.serialization_dir)
