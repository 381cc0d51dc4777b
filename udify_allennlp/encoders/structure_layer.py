"""
The layer above an encoder that reads its soft trees (Sun et al. 2021, section 3.4), stored next to
the encoder in a Hugging Face folder, which other programs load without it.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from udify_allennlp.data import encoder_files
from udify_allennlp.modules.structure_integration import StructureLayer
from udify_allennlp.text.files import AnyPath

SETTINGS, WEIGHTS = "structure_layer.json", "structure_layer.safetensors"


def save_layer(layer: StructureLayer, folder: AnyPath) -> None:
    """Writes the layer into a folder. Raises `OSError` and `SafetensorError` if this fails."""
    path = Path(folder) / SETTINGS
    path.write_text(json.dumps(layer.settings, indent=1) + "\n", encoding="utf-8")
    weights = {name: value.contiguous() for name, value in layer.state_dict().items()}
    save_file(weights, Path(folder) / WEIGHTS)


def load_layer(
    model_name: str,
    dim: int,
    load_weights: bool,
    serialization_dir: Optional[str],
    dropout: Optional[float] = None,
) -> Optional[StructureLayer]:
    """
    Returns the layer that belongs to the encoder `model_name`, if there is one.

    # Parameters

    model_name : `str`
    dim : `int`
        The width of the encoder.
    load_weights : `bool`
        False if an archive has them; its own folder then determines whether there is a layer.
    serialization_dir : `Optional[str]`
        The run folder, which keeps a copy of the layer's settings.
    dropout : `Optional[float]`
        Dropout rate of the layer; by default 0.1.

    # Raises

    `ConfigurationError` if its files are damaged or belong to another encoder.
    """
    kept = encoder_files.FOLDER
    if load_weights:
        folder = Path(encoder_files.locate(model_name))
    elif serialization_dir is not None:
        folder = Path(serialization_dir) / kept
    else:
        return None
    path = folder / SETTINGS
    if not path.is_file():
        return None
    try:
        settings: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        layer = StructureLayer.made(dim, settings, 0.1 if dropout is None else dropout)
        if load_weights:
            layer.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, ValueError, LookupError, TypeError, SafetensorError, RuntimeError) as error:
        raise ConfigurationError(
            f"{path}: the layer of structure cannot be loaded ({str(error).splitlines()[0]}). "
            "Export the encoder again, or set embedder.integration to false."
        ) from None
    encoder_files.keep(
        lambda scratch: str(shutil.copy(path, os.path.join(scratch, SETTINGS))),
        serialization_dir,
        SETTINGS,
    )
    return layer
