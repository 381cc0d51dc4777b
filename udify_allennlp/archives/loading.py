"""
Safe loading of model archives (`model.tar.gz`) and run folders. An archive often comes from someone
else, and AllenNLP 2.10.1 trusts it: a member named `../../.bashrc` is written there, and a config
may import any module. With `install()` AllenNLP's own loading rejects such files with a one-line
error; see `checks.py`, `unpacking.py` and `registered.py`.
"""

import functools
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Union

import torch
from allennlp.commands import evaluate
from allennlp.common import params
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params
from allennlp.models import archival
from allennlp.nn import util

from udify_allennlp.archives import registered, shipped
from udify_allennlp.archives.budget import bounded_by
from udify_allennlp.archives.checks import (
    ArchiveError,
    check_config,
    check_encoder,
    check_parts,
    check_sums,
    check_weights,
)
from udify_allennlp.archives.load_errors import FOLDER_PREFIX, raise_of, told_in_one_line
from udify_allennlp.archives.unpacking import open_tar, unpack
from udify_allennlp.compat import collector_paused
from udify_allennlp.compat.devices import check_for_gpu
from udify_allennlp.config.named import with_overrides
from udify_allennlp.config.settings import check_part
from udify_allennlp.data import vocabulary_files
from udify_allennlp.data.encoder_files import only_copies
from udify_allennlp.kernels.calibrated_linear import use_input_scales
from udify_allennlp.kernels.fresh_weights import FreshWeights
from udify_allennlp.kernels.memory import give_back
from udify_allennlp.kernels.packed_weights import input_scales
from udify_allennlp.text.context_values import holding
from udify_allennlp.text.files import AnyPath

__all__ = [
    "ArchiveError",
    "archive_in",
    "check_config",
    "check_encoder",
    "check_weights",
    "check_weights_file",
    "extracted_archive",
    "install",
    "load_archive",
]

WEIGHTS = ("weights.th", "best.th")
"""
Files of weights, in the order in which AllenNLP looks for them: those of an archive, then those of
a run.
"""
_original: dict[str, Any] = {}
# Weights of archives that are unpacked, by path, as their check has read them.
_checked: ContextVar[Mapping[str, dict[str, torch.Tensor]]] = ContextVar(
    "checked", default=MappingProxyType({})
)


def install() -> None:
    """Makes AllenNLP load and write archives as this module does. Safe to call twice."""
    registered.install()
    vocabulary_files.install()
    archival.tarfile = SimpleNamespace(open=open_tar)
    archival.Params = SimpleNamespace(from_file=_config)
    archival.extracted_archive = extracted_archive
    # It goes on with the config of the model that it loaded: loader and evaluator are made from it.
    if not hasattr(evaluate.evaluate_from_archive, "__wrapped__"):
        evaluate.evaluate_from_archive = _sealed_evaluation(evaluate.evaluate_from_archive)
    if not _original:
        _original.update(load_archive=archival.load_archive, load_model=archival._load_model)
        archival._load_model = _load_model
        # Any model can be packed, whatever its class.
        _original.update(read_state_dict=util.read_state_dict)
        util.read_state_dict = _read_state_dict
        for name, module in list(sys.modules.items()):  # those that took it by name
            if name.startswith("allennlp.") and hasattr(module, "load_archive"):
                module.load_archive = load_archive  # type: ignore[attr-defined]


def load_archive(
    archive_file: AnyPath,
    cuda_device: int = -1,
    overrides: Union[str, dict[str, Any]] = "",
    weights_file: Any = None,
) -> archival.Archive:
    """
    Loads an archive like AllenNLP's `load_archive`. A model with `check_loaded(reader)` then checks
    that its parts belong together, beyond the shapes of weights, so that a mismatch is found on
    loading, not at the first sentence that it affects.

    # Raises

    `ArchiveError`, in one line that names the archive, if it cannot be loaded for any reason.
    `ConfigurationError` if the GPU does not exist, or `overrides` are not JSON.
    """
    check_for_gpu(cuda_device)
    _changes(overrides)  # a mistake in them is none of the archive
    archive_file = archive_in(archive_file)
    with collector_paused(), told_in_one_line(archive_file), _sealed(archive_file, overrides):
        with _folder_of(archive_file) as folder:
            archive = _original["load_archive"](folder, cuda_device, overrides, weights_file)
        check = getattr(archive.model, "check_loaded", None)
        if check is not None:
            trusted = {"trusted": True} if shipped.is_shipped(archive_file) else {}
            check(archive.validation_dataset_reader, **trusted)
    give_back()  # a tenth of what loading took: texts of files, and weights that were lowered
    return archive


@contextmanager
def _folder_of(archive_file: AnyPath) -> Iterator[AnyPath]:
    """
    Yields a run folder, or that of an archive, unpacked for the duration of the context: AllenNLP
    would leave `extracted_archive`, and forget the weights that were checked, before it reads them.
    """
    path = archival.cached_path(archive_file)
    if os.path.isdir(path):
        yield path
        return
    with extracted_archive(path) as unpacked:
        yield unpacked


@contextmanager
def _sealed(path: AnyPath, overrides: Union[str, dict[str, Any]]) -> Iterator[None]:
    """
    Restricts, within the context and in this thread, the config of the model at `path` to our
    classes, and to no files outside the model except those that the user names in `overrides`.
    """
    with registered.only_ours():
        if os.path.isdir(path):
            # The folder of a run is the user's own: its files may be where its config says.
            yield
            return
        with only_copies(_strings(_changes(overrides))):
            yield


def _sealed_evaluation(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(archive_file: AnyPath, *args: Any, **kwargs: Any) -> Any:
        with _sealed(archive_in(archive_file), kwargs.get("cmd_overrides", "")):
            return function(archive_file, *args, **kwargs)

    return wrapper


def _strings(value: Any) -> list[str]:
    """Returns all strings in a JSON value."""
    if isinstance(value, (dict, list)):
        parts = value.values() if isinstance(value, dict) else value
        return [text for part in parts for text in _strings(part)]
    return [value] if isinstance(value, str) else []


def _changes(overrides: Union[str, dict[str, Any]]) -> dict[str, Any]:
    text = overrides if isinstance(overrides, str) else json.dumps(overrides)
    return dict(params.parse_overrides(text, ext_vars=dict(os.environ)))


def archive_in(path: AnyPath) -> AnyPath:
    """
    Returns the shipped archive with the name `path`; the archive in the folder of a finished run,
    which has `metrics.json`, if there are no weights next to it; otherwise the path itself.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigurationError(
            f"The model is {path!r:.60}. Name an archive, a run folder, or `multilingual`."
        )
    shipped_archive = shipped.archive_of(path)
    if shipped_archive is not None:
        return shipped_archive
    folder = Path(path)
    archive = folder / "model.tar.gz"
    is_only = (folder / "metrics.json").is_file() and archive.is_file()
    return archive if is_only and not any((folder / name).exists() for name in WEIGHTS) else path


def _config(path: AnyPath, overrides: Union[str, dict[str, Any]] = "") -> Params:
    """Returns `Params.from_file` for `load_archive`: plain JSON, and the user's overrides."""
    settings = check_config(Path(path))
    check_encoder(Path(path).parent)
    changes = _changes(overrides)
    if changes:
        settings = with_overrides(settings, changes)
    if "model" not in settings and "model_type" in settings:
        raise ConfigurationError(
            "it is an encoder of transformers, not a trained model. Name an archive or a run "
            "folder."
        )
    for section in ("dataset_reader", "model"):
        if not isinstance(settings.get(section), dict):
            raise ConfigurationError(f"its config.json has no section {section}.")
        if any(name.partition(".")[0] == section for name in changes):
            check_part(section, settings[section])
    if settings["model"].get("type") == "udify_model":
        raise ConfigurationError(
            "it is a model of the released UDify (2019), whose weights fit none of our models. "
            "Train again; see docs/from_udify.md."
        )
    return Params(settings)


def _load_model(config: Any, weights_path: AnyPath, *args: Any, **kwargs: Any) -> Any:
    state = _checked.get().get(str(weights_path))
    if state is None:
        state = check_weights_file(weights_path)
    with bounded_by(weights_path):
        model = _original["load_model"](config, weights_path, *args, **kwargs)
    use_input_scales(model, input_scales(state))
    return model


def check_weights_file(path: AnyPath) -> dict[str, torch.Tensor]:
    """
    Returns the weights at `path`, of a run or of an archive that was unpacked, as `check_weights`
    does. Raises `ArchiveError` unless they are named tensors and, in a run folder, fit their
    checksums.
    """
    if FOLDER_PREFIX not in str(path):
        check_sums(path)
    return check_weights(path)


def _read_state_dict(path: AnyPath, *args: Any, **kwargs: Any) -> FreshWeights:
    """Returns the weights of a file, in float32 if they were `packed`."""
    state = _checked.get().get(str(path))
    if state is None:
        state = _original["read_state_dict"](path, *args, **kwargs)
    return FreshWeights(state)


@contextmanager
def extracted_archive(
    resolved_archive_file: AnyPath, cleanup: bool = True, part: str = ""
) -> Iterator[str]:
    """
    Unpacks an archive into a new temporary directory and checks its parts, with the signature of
    AllenNLP's function. Unless `cleanup` is False the directory is removed at the end; if the
    archive is rejected it is always removed.

    # Parameters

    resolved_archive_file : `Union[str, PathLike]`
    cleanup : `bool`
    part : `str`
        A folder in the archive that is itself a model: nothing else is unpacked then.

    # Raises

    `ArchiveError` if the archive is missing, damaged, incomplete or unsafe.
    """
    directory = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
    try:
        unpack(resolved_archive_file, directory, part)
        folder = os.path.join(directory, part) if part else directory
        trusted = shipped.is_shipped(resolved_archive_file)
        state = check_parts(resolved_archive_file, folder, trusted)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    try:
        weights = os.path.join(folder, WEIGHTS[0])
        with only_copies(), holding(_checked, {**_checked.get(), weights: state}):
            yield directory
    except ConfigurationError as error:
        raise_of(resolved_archive_file, error)
    finally:
        if cleanup:
            shutil.rmtree(directory, ignore_errors=True)
