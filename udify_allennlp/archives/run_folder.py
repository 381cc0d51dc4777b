"""
The files of a trained model: an archive (`model.tar.gz`) or a run folder, whose weights are
`weights.th` or `best.th`, or which keeps only its archive.
"""

import glob
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path

from udify_allennlp.archives import loading
from udify_allennlp.kernels.packed_weights import unpacked
from udify_allennlp.text.files import AnyPath, fingerprint, keep_names

WEIGHTS = loading.WEIGHTS
INITIAL = Path("initial", "model.tar.gz")
"""
Name of the initial parser's folder in a run folder that refines its trees, and in the
archive.
"""
# In this order: half a checkpoint is none, and the best weights are needed as long as there is one.
_COPIES = ("training_state_*.th", "model_state_*.th", "best.th")


def weights_file(path: AnyPath) -> Path:
    """
    Returns the file that identifies the weights: an archive itself, or the file that is loaded from
    a folder. Raises `ConfigurationError` if the folder has none.
    """
    path = Path(loading.archive_in(path))
    if path.is_file():
        return path
    for name in WEIGHTS:
        if (path / name).is_file():
            return path / name
    raise ConfigurationError(
        f"{path} has no {' or '.join(WEIGHTS)}: no model was trained there, or its first epoch is "
        "not finished. Name an archive or a run folder."
    )


def is_over(folder: AnyPath) -> bool:
    """
    Returns whether a run ended by itself and was archived; an interrupted run may have been
    archived, too.
    """
    return all((Path(folder) / name).is_file() for name in ("metrics.json", "model.tar.gz"))


def has_checkpoint(folder: AnyPath) -> bool:
    """Returns whether the folder has a checkpoint that a run could resume from."""
    return any(Path(folder).glob(_COPIES[0]))


def keep_archive_alone(folder: AnyPath) -> None:
    """
    Removes the files that the archive of a finished run makes superfluous: the same weights again,
    and checkpoints, several times as large. The folder is loaded as before.
    """
    for pattern in _COPIES:
        for path in Path(folder).glob(pattern):
            path.unlink()
        keep_names(os.fspath(folder))


def vocabulary_folder(folder: AnyPath) -> Path:
    """Returns the folder of a model's vocabulary. `ConfigurationError` if its folder has none."""
    path = Path(folder) / "vocabulary"
    if not path.is_dir():
        raise ConfigurationError(
            f"{folder} has no vocabulary: no model was trained there. Name an archive or a run "
            "folder."
        )
    return path


def archive_parts(folder: Path) -> list[str]:
    """
    Returns the contents of a model's archive besides its weights, as paths within `folder`: all of
    an unpacked archive; for a run, what AllenNLP would archive, `include_in_archive` among it.
    """
    if (folder / WEIGHTS[0]).exists():
        return [path.name for path in folder.iterdir() if path.name != WEIGHTS[0]]
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    parts = [
        name for name in ("config.json", "meta.json", "vocabulary") if (folder / name).exists()
    ]
    for pattern in config.get("include_in_archive") or []:
        for path in glob.glob(os.path.join(glob.escape(str(folder)), pattern)):
            parts.append(os.path.relpath(path, folder))
    # Of the folder itself, whatever the config of a stranger names.
    return [name for name in parts if Path(name).parts and ".." not in Path(name).parts]


def model_files(path: AnyPath) -> list[Path]:
    """
    Returns the files that determine a model's predictions: an archive itself, or the files that are
    loaded from a folder. Raises `ConfigurationError` if the folder has no vocabulary or no weights.
    """
    path = Path(loading.archive_in(path))
    if path.is_file():
        return [path]
    labels = sorted(vocabulary_folder(path).glob("[!.]*"))  # .lock is not loaded
    return [path / "config.json", weights_file(path), *labels]


def model_fingerprint(path: AnyPath) -> str:
    """Returns a hash of `model_files`."""
    return fingerprint(model_files(path))


@contextmanager
def model_folder(name: str) -> Iterator[Path]:
    """
    Yields a run folder, or an archive unpacked for the duration of the context; its
    config is checked.

    # Parameters

    name : `str`
        An archive, its URL or a run folder.

    # Raises

    `ArchiveError` if it is missing, damaged, or not safe to load.
    """
    path = fetched(name)
    if not os.path.isdir(path):
        with loading.extracted_archive(path) as unpacked:
            yield Path(unpacked)
        return
    loading.check_config(Path(path) / "config.json")
    loading.check_encoder(Path(path))
    yield Path(path)


def load_weights(folder: AnyPath) -> dict[str, torch.Tensor]:
    """
    Returns the weights in the folder of a model, by name, on the CPU; only those that are used are
    read from disk, unless they are `packed`. Raises `ArchiveError` if the file is damaged or holds
    anything else.
    """
    path = weights_file(folder)
    return unpacked(loading.check_weights_file(path))


def fetched(name: str) -> str:
    """
    Returns the path of an archive, given by its path, its URL or the name of a shipped model, or of
    a run folder. Raises `ArchiveError` if it does not exist.
    """
    try:
        return str(loading.archive_in(cached_path(loading.archive_in(name))))
    except FileNotFoundError:
        raise loading.ArchiveError(f"{name}: no such file.") from None
