"""The segmenter of the model that training starts from, copied into the new model."""

import shutil
from pathlib import Path
from typing import Any, Optional

from allennlp.training import GradientDescentTrainer

from udify_allennlp.archives.run_folder import model_folder
from udify_allennlp.segmenter.archive import FOLDER
from udify_allennlp.training.callbacks import RUN_CALLBACKS, Callback


@RUN_CALLBACKS.add
class KeepSegmenter(Callback):
    """
    A callback that copies the segmenter of the parser that `model.archive` or `model.teacher` names
    into the run folder, so that the new model segments raw text as the old one did. `udify`
    trainers add it by default; `"include_in_archive": ["segmenter"]` adds it to the archive.

    # Parameters

    serialization_dir : `Optional[str]`
    """

    def __init__(self, serialization_dir: Optional[str]) -> None:
        super().__init__(serialization_dir or "")

    def start(self, trainer: GradientDescentTrainer, is_primary: bool) -> None:
        model: Any = trainer.model
        archive = getattr(model, "started_from", None) or getattr(model, "teacher", None)
        target = Path(self.serialization_dir, FOLDER)
        if not (is_primary and self.serialization_dir and archive) or target.exists():
            return
        with model_folder(archive) as folder:
            if (folder / FOLDER).is_dir():
                unfinished = target.with_name(f".{FOLDER}")
                shutil.rmtree(unfinished, ignore_errors=True)
                shutil.copytree(folder / FOLDER, unfinished)
                unfinished.rename(target)
