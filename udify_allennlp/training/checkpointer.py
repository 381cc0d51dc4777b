"""Checkpoints and best weights that are either complete or absent."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Optional

import torch
from allennlp.common.util import SigTermReceived
from allennlp.training import Checkpointer
from allennlp.training.trainer import Trainer, TrainerCheckpoint

from udify_allennlp.text.files import damaged_member, keep_names, whole_file

logger = logging.getLogger(__name__)

Done = tuple[int, int]
"""The number of completed epochs, and of batches in the epoch after these."""


@Checkpointer.register("udify")
class AtomicCheckpointer(Checkpointer):
    """
    A checkpointer with all parameters of AllenNLP's. A file gets its name only once it is written,
    so a run killed while it saves continues from the previous checkpoint; an unreadable checkpoint
    (after a full disk, for example) is skipped with a warning. A recovered run saves after the same
    batches as an uninterrupted one.

    At the end of an epoch the order is weights, state, removal of older checkpoints, `best.th`. The
    state records whether its weights are the best so far, so a run that is resumed in between saves
    them as `best.th` (`RunState`).
    """

    _newest: Optional[Done] = None
    """
    The checkpoint that was last saved or loaded. Later ones are unreadable, or belong to an
    interrupted run.
    """

    def maybe_save_checkpoint(
        self, trainer: Trainer, num_epochs_completed: int, num_batches_in_epoch_completed: int
    ) -> bool:
        """
        Saves when AllenNLP's does, but never reports it: after a report, AllenNLP removes `best.th`
        before it makes the new one. Without one, it asks the trainer to save the best weights,
        which `save_best` does.
        """
        super().maybe_save_checkpoint(trainer, num_epochs_completed, num_batches_in_epoch_completed)
        return False

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
        keep_names(self._serialization_dir)
        self._newest = done
        # Both files are there: the parent only keeps its records and removes old checkpoints.
        super().save_checkpoint(trainer)

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        self._newest = None
        for done in sorted(self._find_all_checkpoints(), reverse=True):
            paths = (self._model_state_path(*done), self._training_state_path(*done))
            try:
                model_state, trainer_state = map(_read, paths)
            except SigTermReceived:
                raise
            except Exception as error:  # PyTorch has many ways to fail on damaged files
                logger.warning(
                    "checkpoint %s cannot be read (%s): using the previous one", done, error
                )
                continue
            # The next ones are due when they would have been had the run gone on.
            self._newest = done
            self._last_save_num_epochs_completed = done[0]
            self._last_save_num_batches_in_epoch_completed = done[1]
            return TrainerCheckpoint(model_state, trainer_state)
        return None

    def _find_all_checkpoints(self) -> set[Done]:
        # Of one that was being saved, or removed, when the run was killed there may be half.
        return {
            done
            for done in super()._find_all_checkpoints()
            if os.path.exists(self._training_state_path(*done))
            and (self._newest is None or done <= self._newest)
        }

    def weights_at(self, done: Done) -> Optional[str]:
        """
        Returns the file with the weights of a checkpoint, if that was the last one saved or loaded.
        """
        path = self._model_state_path(*done)
        return path if done == self._newest and os.path.exists(path) else None


def save_best(path: str, saved: Optional[str], save: Callable[[BinaryIO], None]) -> None:
    """
    Makes `path` the best weights: those of the file `saved`, which is linked so that they are not
    written twice, otherwise those that `save` writes. The previous ones exist until then.
    """
    scratch = f"{path}.part"
    Path(scratch).unlink(missing_ok=True)
    try:
        if saved is None or not _link(saved, scratch):
            with _failing_as_files_do(path), open(scratch, "wb") as file:
                save(file)
                file.flush()
                os.fsync(file.fileno())
        os.replace(scratch, path)
    finally:
        # Renaming a link to another one of the same file does nothing.
        Path(scratch).unlink(missing_ok=True)
    keep_names(os.path.dirname(path) or ".")


def _link(source: str, target: str) -> bool:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        return False
    return True


def _read(path: str) -> Any:
    # PyTorch does not look at the checksums, and takes flipped bits for weights.
    damaged = damaged_member(path)
    if damaged is not None:
        raise ValueError(f"{path}: {damaged} is damaged")
    return torch.load(path, map_location="cpu", weights_only=True)


def _write(state: Any, path: str) -> None:
    # Always the same name beside it: what a killed run leaves is written over by the next one.
    with _failing_as_files_do(path), whole_file(path, Path(f"{path}.part")) as file:
        torch.save(state, file)


@contextmanager
def _failing_as_files_do(path: str) -> Iterator[None]:
    """
    Raises the error that interrupted PyTorch while it wrote to the file `path`, such as a full
    disk, Ctrl-C or SIGTERM: PyTorch itself reports an unexpected position in its own source.
    """
    try:
        yield
    except RuntimeError as error:
        first: BaseException = error
        while first.__context__ is not None:
            first = first.__context__
        if isinstance(first, OSError):
            raise OSError(first.errno, first.strerror, path) from error
        if isinstance(first, RuntimeError):
            raise
        raise first from None
