"""Rewriting of a trained model with other weights, or with a few other settings."""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union

import torch
from allennlp.models.archival import archive_model

from udify_allennlp.archives.card import FILE, read_card
from udify_allennlp.archives.checks import TOKENIZER
from udify_allennlp.archives.run_folder import archive_parts, load_weights, model_folder

State = dict[str, torch.Tensor]
# What `archive_model` puts into every archive, or is named to it anyway.
_KNOWN = ("config.json", "meta.json", "vocabulary", "weights.th", FILE)


def rewritten(
    model: str,
    target: Union[str, Path],
    change: Callable[[Path, dict[str, Any], State], State],
) -> None:
    """
    Writes an archive of a model, with everything that its own archive would hold, and its card; the
    tokenizer's JSON without indentation.

    # Parameters

    model : `str`
        An archive or a run folder.
    target : `Union[str, Path]`
        A name that ends in `.tar.gz`; the file appears only when it is complete.
    change : `Callable`
        Returns the new weights, given the weights, the config and the folder of the other files
        (including the encoder's and the card), which it may change.

    # Raises

    `ArchiveError` if the model cannot be read.
    """
    with model_folder(model) as source, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in archive_parts(source):
            _copy(source / name, folder / name)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        write_json(folder / FILE, read_card(source).to_dict())
        torch.save(change(folder, config, load_weights(source)), folder / "weights.th")
        write_json(folder / "config.json", config)
        _drop_indentation(folder / TOKENIZER)
        extra = [path.name for path in folder.iterdir() if path.name not in _KNOWN]
        archive_model(folder, "weights.th", target, include_in_archive=[*sorted(extra), FILE])


def forget_sources(config: dict[str, Any]) -> None:
    """
    Removes from a trained model's config what its archive does not need and what is private to
    whoever trained it, in place: the folders of the data, and the models that training started
    from.
    """
    for name in ("train_data_path", "validation_data_path"):
        paths = config.get(name)
        if paths:
            paths = [paths] if isinstance(paths, str) else paths
            config[name] = [Path(path).name for path in paths]
    for name in ("teacher", "start", "archive"):
        config["model"].pop(name, None)
    config.pop("vocabulary", None)


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Writes JSON in the format of an archive's files."""
    path.write_text(json.dumps(values, ensure_ascii=False, indent=1), encoding="utf-8")


def _drop_indentation(path: Path) -> None:
    """Halves the size of a tokenizer's JSON, if there is one."""
    if path.is_file():
        values = json.loads(path.read_text(encoding="utf-8"))
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
