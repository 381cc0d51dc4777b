"""
Safe loading of model archives (`model.tar.gz`) and of serialization directories. An archive often
comes from someone else, and AllenNLP 2.10.1 trusts it: a member named `../../.bashrc` is written
there, and a config may import any module. With `install()` AllenNLP's own loading refuses
such files; each refusal is one line. Archives are also written here: without compression.
"""

import gzip
import json
import logging
import os
import pickle
import re
import shutil
import tarfile
import tempfile
import zlib
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator, List, Tuple, Union

import torch
from allennlp.common.file_utils import cached_path
from allennlp.models import archival

logger = logging.getLogger(__name__)

AnyPath = Union[str, "PathLike[str]"]
# What AllenNLP archives for every model; the first two are files, the last is a folder.
REQUIRED = ("config.json", "weights.th", "vocabulary")
_DAMAGED = (EOFError, zlib.error, tarfile.TarError, gzip.BadGzipFile)


class ArchiveError(ValueError):
    """An archive or model folder cannot be loaded. Always `path: what is wrong. How to fix it.`"""


def install() -> None:
    """Makes AllenNLP load and write archives as this module does. Safe to call twice."""
    archival.tarfile = SimpleNamespace(open=_open_tar)
    archival.cached_path = _checked_path
    archival.extracted_archive = extracted_archive
    if archival._load_model is not _load_model:
        _original["load_model"] = archival._load_model
        archival._load_model = _load_model


_original: dict = {}


def _open_tar(name: AnyPath, mode: str, **kwargs: Any) -> tarfile.TarFile:
    """
    `tarfile.open` for `archive_model`: gzipped, but not compressed. To gzip trained weights are
    noise: it takes up to 80 s a GB to write them and 4 s a GB at every start to read them, and
    leaves 93% of them. AllenNLP without this package reads the archive too.
    """
    if mode == "w:gz":
        kwargs["compresslevel"] = 0
    return tarfile.open(name, mode, **kwargs)  # type: ignore[call-overload,no-any-return]


def _checked_path(url_or_filename: AnyPath, *args: Any, **kwargs: Any) -> str:
    """`cached_path` for `load_archive`, where a serialization directory is first seen."""
    try:
        path = cached_path(url_or_filename, *args, **kwargs)
    except FileNotFoundError:
        raise ArchiveError(f"{url_or_filename}: no such file or directory.") from None
    if os.path.isdir(path):
        check_config(Path(path) / "config.json")
    return path


def _load_model(config: Any, weights_path: AnyPath, *args: Any, **kwargs: Any) -> Any:
    check_weights(weights_path)
    return _original["load_model"](config, weights_path, *args, **kwargs)


@contextmanager
def extracted_archive(resolved_archive_file: AnyPath, cleanup: bool = True) -> Iterator[str]:
    """
    Unpacks an archive into a new temporary directory and checks its parts, with the signature of
    AllenNLP's function. Unless `cleanup` is False the directory is removed at the end; when
    the archive is refused it is always removed.

    # Raises

    `ArchiveError` if the archive is missing, damaged, incomplete or unsafe.
    """
    directory = tempfile.mkdtemp(prefix="udify-archive-")
    try:
        _unpack(resolved_archive_file, directory)
        _check_parts(resolved_archive_file, directory)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    try:
        yield directory
    finally:
        if cleanup:
            shutil.rmtree(directory, ignore_errors=True)


def _unpack(archive: AnyPath, directory: str) -> None:
    if not hasattr(tarfile, "data_filter"):
        raise ArchiveError(
            f"{archive}: this Python cannot unpack archives safely. "
            "Use Python 3.10.12, 3.11.4, 3.12 or newer."
        )
    logger.info("extracting archive file %s to temp dir %s", archive, directory)
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:  # one pass: going back would decompress everything again
                _check_member(archive, member)
                tar.extract(member, directory, filter="data")
            # tarfile stops before the checksum at the end of the file, so flipped bits would pass.
            while tar.fileobj is not None and tar.fileobj.read(1 << 20):
                pass
    except FileNotFoundError as error:
        raise ArchiveError(f"{archive}: no such file.") from error
    except tarfile.FilterError as error:
        raise ArchiveError(f"{archive}: refused, {error}.") from error
    except _DAMAGED as error:
        raise ArchiveError(
            f"{archive}: not a gzipped tar file, or damaged or cut short ({_one_line(error)}). "
            "Copy or train the model again."
        ) from error
    except OSError as error:  # a full disk, a folder instead of a file, no permission
        raise ArchiveError(f"{archive}: cannot be unpacked ({_one_line(error)}).") from error


def _check_member(archive: AnyPath, member: tarfile.TarInfo) -> None:
    # Stricter than the "data" filter, which takes the slash off absolute names and admits links
    # inside the archive, a source of past escapes. AllenNLP writes neither.
    name = member.name
    if os.path.isabs(name) or re.match(r"[A-Za-z]:|\\", name) or ".." in re.split(r"[/\\]", name):
        raise ArchiveError(f"{archive}: refused, member {name!r} points outside the archive.")
    if not (member.isreg() or member.isdir()):
        raise ArchiveError(f"{archive}: refused, member {name!r} is a link or a device.")


def _check_parts(archive: AnyPath, directory: str) -> None:
    for name in REQUIRED:
        path = Path(directory) / name
        if not (path.is_dir() if name == "vocabulary" else path.is_file()):
            raise ArchiveError(
                f"{archive}: has no {name}, so it is not a model archive of AllenNLP."
            )
    check_config(Path(directory) / "config.json", shown=f"{archive}: config.json")
    check_weights(Path(directory) / "weights.th", shown=f"{archive}: weights.th")


def check_config(path: Path, shown: str = "") -> None:
    """
    Raises `ArchiveError` unless the file at `path` is plain JSON that names registered classes
    only. AllenNLP would evaluate jsonnet, which can read files and the environment, and import the
    module of `"type": "module.Class"`. `shown` replaces `path` in messages.
    """
    shown = shown or str(path)
    pairs: List[Tuple[str, Any]] = []

    def keep(found: List[Tuple[str, Any]]) -> dict:
        pairs.extend(found)  # every pair, also one that a later pair of the same name hides
        return dict(found)

    try:
        config = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=keep)
    except FileNotFoundError:
        raise ArchiveError(f"{shown}: no such file, so this is not a model of AllenNLP.") from None
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{shown}: is not plain JSON ({_one_line(error)}).") from error
    if not isinstance(config, dict):
        raise ArchiveError(f"{shown}: is not a JSON object.")
    for key, value in pairs:
        if key == "type" and isinstance(value, str) and re.search(r"[.:]", value):
            raise ArchiveError(
                f"{shown}: refused, type {value!r} would import a module. "
                "Only registered names are allowed in a model."
            )
        if key == "trust_remote_code" and value:
            raise ArchiveError(f"{shown}: refused, trust_remote_code would run downloaded code.")


def check_weights(path: AnyPath, shown: str = "") -> None:
    """
    Raises `ArchiveError` unless the file at `path` holds named tensors and nothing else.
    `shown` replaces `path` in messages.
    """
    shown = shown or str(path)
    try:
        try:
            # Mapped, not read: a second look at a large model costs next to nothing.
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # files from before torch 1.6 cannot be mapped
            state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise ArchiveError(f"{shown}: no such file.") from None
    except pickle.UnpicklingError as error:
        found = re.search(r"GLOBAL (\S+)", str(error))
        raise ArchiveError(
            f"{shown}: refused or damaged, holds something other than tensors"
            + (f" ({found.group(1)})." if found else ".")
        ) from error
    except (RuntimeError, ValueError, EOFError, OSError, KeyError, AttributeError) as error:
        raise ArchiveError(f"{shown}: is damaged ({_one_line(error)}).") from error
    named = isinstance(state, dict) and all(isinstance(name, str) for name in state)
    if not named or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ArchiveError(f"{shown}: does not hold named tensors.")


def _one_line(error: BaseException) -> str:
    """The start of a message: PyTorch's run over many lines."""
    return " ".join(str(error).split())[:120] or type(error).__name__
