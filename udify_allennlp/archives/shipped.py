"""The shipped models, by name."""

import os
from pathlib import Path
from typing import Optional

from udify_allennlp.text.files import AnyPath

FOLDER = Path(__file__).resolve().parent.parent / "pretrained"
MULTILINGUAL = "multilingual"
"""The default model."""
_ENDING = ".tar.gz"


def names() -> list[str]:
    """Returns the names of the shipped models, such as `multilingual`."""
    return sorted(path.name.removesuffix(_ENDING) for path in FOLDER.glob(f"*{_ENDING}"))


def archive_of(name: AnyPath) -> Optional[Path]:
    """
    Returns the archive of the model `name`; `None` if it does not exist, or if a file of that name
    exists in the current folder.
    """
    if os.path.exists(name) or os.fspath(name) not in names():
        return None
    return FOLDER / f"{os.fspath(name)}{_ENDING}"


def is_shipped(path: AnyPath) -> bool:
    """Returns whether `path` is an archive of the package, which is trusted as its code is."""
    return Path(path).parent == FOLDER
