"""Checkpoints that are whole or not there."""

import logging
import os
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Optional

import torch
from allennlp.training import Checkpointer
from allennlp.training.trainer import Trainer, TrainerCheckpoint

logger = logging.getLogger(__name__)


@Checkpointer.register("udify")
class AtomicCheckpointer(Checkpointer):
    """
    Takes all parameters of AllenNLP's checkpointer. A file gets its name only once it is written,
    so a run killed while it saves goes on from the checkpoint before; an unreadable checkpoint (a
    full disk, say) is passed over with a warning. A recovered run saves after the same batches as
    one that was left alone.
    """

    def save_checkpoint(self, trainer: Trainer) -> None:
        state = trainer.get_checkpoint_state()
        if self._serialization_dir is None or state is None:
            return
        done = (
            state.trainer_state["epochs_completed"],
            state.trainer_state["batches_in_epoch_completed"],
        )
        _write(state.model_state, self._model_state_path(*done))
        _write(state.trainer_state, self._training_state_path(*done))
        # Both files are there: the parent only keeps its records and removes old checkpoints.
        super().save_checkpoint(trainer)

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        for done in sorted(self._find_all_checkpoints(), reverse=True):
            paths = (self._model_state_path(*done), self._training_state_path(*done))
            try:
                model_state, trainer_state = (
                    torch.load(path, map_location="cpu", weights_only=True) for path in paths
                )
            except (EOFError, OSError, RuntimeError, UnpicklingError) as error:
                logger.warning(
                    "checkpoint %s cannot be read (%s): going back to the one before", done, error
                )
                continue
            # The next ones are due when they would have been had the run gone on.
            self._last_save_num_epochs_completed = done[0]
            self._last_save_num_batches_in_epoch_completed = done[1]
            return TrainerCheckpoint(model_state, trainer_state)
        return None


def _write(state: Any, path: str) -> None:
    scratch = Path(f"{path}.part")
    torch.save(state, scratch)
    os.replace(scratch, path)
