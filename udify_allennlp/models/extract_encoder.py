"""
The encoder of a trained model as a plain transformers model, with nothing of ours but the weights.
`name` is the user's name for the model, which messages repeat.
"""

import functools
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import Archive, load_archive
from safetensors import SafetensorError

from udify_allennlp.archives.loading import archive_in
from udify_allennlp.archives.registered import registered_name
from udify_allennlp.data import encoder_files
from udify_allennlp.encoders.structure_layer import save_layer
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.text.files import AnyPath

_FULL = "float32"


def is_model(name: str) -> bool:
    """Returns whether `name` is an archive, a run folder, or a shipped model."""
    if not os.path.isdir(name):
        return os.path.isfile(archive_in(name))
    try:
        with Path(name, "config.json").open(encoding="utf-8") as file:
            return "model" in json.load(file)
    except (OSError, ValueError):
        return False


def load_parser(name: str) -> Archive:
    """
    Loads a trained parser with its weights as they were saved, for any precision of parsing.

    # Raises

    `ArchiveError` if it cannot be loaded, `ConfigurationError` if it is a model of another kind.
    """
    archive = load_archive(name)
    model = archive.model
    if not isinstance(model, MultitaskModel):
        raise ConfigurationError(
            f"{name}: is a model of type {registered_name(model)}, which has no word encoder. Name "
            "a parser."
        )
    if model.precision != _FULL:
        return load_archive(name, overrides=json.dumps({"model.precision": _FULL}))
    return archive


def as_transformers(model: MultitaskModel, name: str, attention: Optional[str] = None) -> Any:
    """
    Returns the encoder of the model `name`; see `WordEncoder.as_transformers`.

    # Raises

    `ConfigurationError` if it has no encoder of transformers.
    """
    encoder = model.embedder.as_transformers(attention)
    if encoder is None or model.embedder.tokenizer is None:
        raise ConfigurationError(
            f"{name}: its encoder, {registered_name(model.embedder)}, is not a Hugging Face "
            "encoder. Name a model whose embedder is udify_encoder or udify_graph_encoder."
        )
    return encoder


def export(name: str, target: AnyPath, integration: bool = True) -> None:
    """
    Saves the encoder of the model `name`, and its tokenizer, in the form of transformers; with
    `integration`, also the layer above that reads soft trees, if the model has one.

    # Raises

    The errors of `load_parser` and `as_transformers`. `ConfigurationError` if `target` cannot be
    written; nothing of it then remains.
    """
    model = load_parser(name).model
    encoder = as_transformers(model, name)
    with tempfile.TemporaryDirectory(dir=target) as scratch:
        try:
            encoder.save_pretrained(scratch)
            model.embedder.tokenizer.pretrained.save_pretrained(scratch)
            layer = model.structure_layer() if integration else None
            if layer is not None:
                save_layer(layer, scratch)
        except (OSError, SafetensorError) as error:  # a full disk
            reason = " ".join(str(error).split())
            raise ConfigurationError(
                f"{target}: cannot be written ({reason}). Free some space, or name another folder."
            ) from error
        for path in Path(scratch).iterdir():
            os.replace(path, Path(target) / path.name)


@functools.lru_cache(maxsize=2)
def _exported(name: str) -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="udify-encoder-")
    export(name, folder.name)
    return folder


@encoder_files.ENCODER_FINDERS.add
def _folder_of_encoder(name: str) -> Optional[str]:
    """
    Returns a folder with the encoder of one of our models, which exists as long as the process
    runs; `None` for other names.
    """
    return _exported(name).name if is_model(name) else None
