"""The card of a model, written while it is trained."""

import os
from typing import Any, Dict, Optional

from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback

from udify_allennlp.archives.card import Card, initial_card, older_card, write_card
from udify_allennlp.training.callbacks import RUN_CALLBACKS


@RUN_CALLBACKS.add
class WriteCard(TrainerCallback):
    """
    Writes `card.json` into the folder of the run after each epoch, since a run that is interrupted
    is archived, too. `udify` trainers add it themselves. What was read is known of loaders that
    have `treebanks`, as `udify` has, or `corpora`, as `udify_texts` has.

    # Parameters

    serialization_dir : `Optional[str]`
    """

    def __init__(self, serialization_dir: Optional[str]) -> None:
        super().__init__(serialization_dir or "")
        self._older = self._initial = Card()

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        if is_primary and self.serialization_dir:
            self._older = older_card(self.serialization_dir)
            self._initial = initial_card(self.serialization_dir)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: Dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        config = os.path.join(self.serialization_dir, "config.json")
        if is_primary and self.serialization_dir and os.path.isfile(config):
            count: Any = getattr(trainer.data_loader, "treebanks", dict)
            corpora: Any = getattr(trainer.data_loader, "corpora", dict)
            write_card(
                self.serialization_dir, count(), metrics, self._older, self._initial, corpora()
            )
