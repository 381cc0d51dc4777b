"""A trained model written anew: with other weights, or with a few other settings."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Union

import torch
from allennlp.models.archival import archive_model

from udify_allennlp.models.card import FILE, read_card
from udify_allennlp.models.run_folder import archive_parts, load_weights, model_folder

State = Dict[str, torch.Tensor]
# What `archive_model` puts into every archive, or is named to it anyway.
_KNOWN = ("config.json", "meta.json", "vocabulary", "weights.th", FILE)


def rewritten(
    model: str,
    target: Union[str, Path],
    weights: Optional[Callable[[State], State]] = None,
    changes: Mapping[str, Any] = {},
) -> None:
    """
    Write an archive of a model, with all that its own archive would hold, and its card.

    # Parameters

    model : `str`
        An archive, or the folder of a run.
    target : `Union[str, Path]`
        A name in `.tar.gz`; it appears whole or not at all.
    weights : `Optional[Callable]`
        What becomes of the weights.
    changes : `Mapping[str, Any]`
        Settings of the model's section in its config.

    # Raises

    `ArchiveError` if the model cannot be read.
    """
    with model_folder(model) as source, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in archive_parts(source):
            _copy(source / name, folder / name)
        if changes:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            config["model"].update(changes)
            (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        text = json.dumps(read_card(source).to_dict(), ensure_ascii=False, indent=1)
        (folder / FILE).write_text(text, encoding="utf-8")
        state = load_weights(source)
        torch.save(weights(state) if weights else state, folder / "weights.th")
        extra = [path.name for path in folder.iterdir() if path.name not in _KNOWN]
        archive_model(folder, "weights.th", target, include_in_archive=[*sorted(extra), FILE])


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
