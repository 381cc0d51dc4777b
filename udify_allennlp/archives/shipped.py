"""Models by name: those of the package, and those in a folder of the user."""

import os
from pathlib import Path
from typing import Optional

from udify_allennlp.text.files import AnyPath
from udify_allennlp.text.tokenizers import MODEL_FINDERS

FOLDER = Path(__file__).resolve().parent.parent / "pretrained"
"""The folder of the shipped models."""
MODELS = "UDIFY_MODELS"
"""Environment variable: the folder of further models, by default `models`."""
MULTILINGUAL = "multilingual"
"""The default model."""
_ENDING = ".tar.gz"


def names() -> list[str]:
    """Returns the names of the shipped models and of those in the folder `UDIFY_MODELS`."""
    found = [path for folder in _folders() for path in folder.glob(f"*{_ENDING}")]
    return sorted({path.name.removesuffix(_ENDING) for path in found})


@MODEL_FINDERS.add
def archive_of(name: AnyPath) -> Optional[Path]:
    """
    Returns the archive of the model `name`, shipped or in the folder `UDIFY_MODELS`; `None` if it
    does not exist, or if a file of that name exists in the current folder.
    """
    if os.path.exists(name) or os.fspath(name) not in names():
        return None
    paths = (folder / f"{os.fspath(name)}{_ENDING}" for folder in _folders())
    return next(path for path in paths if path.exists())


def is_shipped(path: AnyPath) -> bool:
    """Returns whether `path` is an archive of the package, which is trusted as its code is."""
    return Path(path).parent == FOLDER


def _folders() -> list[Path]:
    return [FOLDER, Path(os.environ.get(MODELS) or "models")]
