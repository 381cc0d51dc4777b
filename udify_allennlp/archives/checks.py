"""Checks of the parts of a model before anything is built from them: plain JSON, named tensors."""

import json
import pickle
import re
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived

from udify_allennlp.data.tokenizer_growth import MAX_GROWTH, growth
from udify_allennlp.text.files import AnyPath, damaged_member

# What AllenNLP archives for every model; the first two are files, the last is a folder.
REQUIRED = ("config.json", "weights.th", "vocabulary")
# Settings of the run that wrote the model, about paths of its machine. AllenNLP gives the first
# itself, but takes one in the config over its own: a model would write where it likes. The last
# would be read; who wants it gives it with `-o`.
_PATHS = ("serialization_dir", "cache_dir", "more_vectors")
ENCODER_CONFIG = "encoder/config.json"
_NAMES_OTHERS = re.compile(r"_implementation$|^backbone$|^architecture$")
TOKENIZER = "encoder/tokenizer.json"
TOKENIZER_CONFIG = "encoder/tokenizer_config.json"
MAX_ADDED = 5000
"""
Maximum number of pieces in addition to a tokenizer's vocabulary; the time to add them is quadratic.
"""
# Tensors may share their numbers, as tied weights do, but cannot be larger than what there is.
_MOST_SHARED = 4


class ArchiveError(ConfigurationError, ValueError):
    """
    Raised if an archive or model folder cannot be loaded. The message has the form `path: problem.
    Remedy.`
    """


def check_parts(archive: AnyPath, directory: str, trusted: bool = False) -> dict[str, torch.Tensor]:
    """
    Raises `ArchiveError` unless the unpacked `archive` has all its parts, and they are valid.
    Returns its weights, mapped to memory. A `trusted` archive is not searched for replacements in
    its tokenizer that only malice would write: the search takes long.
    """
    for name in REQUIRED:
        path = Path(directory) / name
        if not (path.is_dir() if name == "vocabulary" else path.is_file()):
            raise ArchiveError(
                f"{archive}: has no {name}, so it is not a model archive of AllenNLP."
            )
    check_config(Path(directory) / "config.json", shown=f"{archive}: config.json")
    check_encoder(Path(directory), shown=f"{archive}: {ENCODER_CONFIG}")
    check_tokenizer(Path(directory), shown=f"{archive}: {TOKENIZER_CONFIG}")
    if not trusted:
        check_normalizer(Path(directory) / TOKENIZER, shown=f"{archive}: {TOKENIZER}")
    return check_weights(Path(directory) / "weights.th", shown=f"{archive}: weights.th")


def check_config(path: Path, shown: str = "") -> dict[str, Any]:
    """
    The settings in the file at `path`, without those that name paths of this machine. Raises
    `ArchiveError` unless it is plain JSON that names registered classes only. AllenNLP would
    evaluate jsonnet, which can read files and the environment, import the module of `"type":
    "module.Class"` and fetch the archive of `_pretrained`. `shown` replaces `path` in messages.
    """
    shown = shown or str(path)
    pairs: list[tuple[str, Any]] = []

    def keep(members: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs.extend(members)  # every pair, also one that a later pair of the same name hides
        # Sorted, as jsonnet gives them: it is the order in which decoders are made.
        return {key: value for key, value in sorted(dict(members).items()) if key not in _PATHS}

    try:
        config = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=keep)
    except FileNotFoundError:
        raise ArchiveError(f"{shown}: no such file, so this is not an AllenNLP model.") from None
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{shown}: is not plain JSON ({one_line(error)}).") from error
    if not isinstance(config, dict):
        raise ArchiveError(f"{shown}: is not a JSON object.")
    for key, value in pairs:
        if key == "type" and isinstance(value, str) and re.search(r"[.:]", value):
            raise ArchiveError(
                f"{shown}: rejected, type {value!r} would import a module. Only registered names "
                "are allowed in a model."
            )
        if key == "trust_remote_code" and value:
            raise ArchiveError(f"{shown}: rejected, trust_remote_code would run downloaded code.")
        if key == "_pretrained":
            raise ArchiveError(f"{shown}: rejected, _pretrained would load another archive.")
    return config


def check_encoder(directory: Path, shown: str = "") -> None:
    """
    Raises `ArchiveError` if the encoder's config in `directory`, if there is one, names an
    implementation or another model: transformers would fetch one named like a repository.
    """
    path = directory / ENCODER_CONFIG
    shown = shown or str(path)
    fetching_keys: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fetching_keys.extend(key for key, value in pairs if _NAMES_OTHERS.search(key) and value)
        return dict(pairs)

    try:
        if not path.exists():
            return
        config = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=keep)
    except (OSError, ValueError, RecursionError) as error:
        raise ArchiveError(f"{shown}: is not plain JSON ({one_line(error)}).") from error
    if not isinstance(config, dict):
        raise ArchiveError(f"{shown}: is not a JSON object.")
    if fetching_keys:
        raise ArchiveError(
            f"{shown}: rejected, {fetching_keys[0]} could fetch another model or code. Remove the "
            "setting."
        )


def check_tokenizer(directory: Path, shown: str) -> None:
    """
    Removes the names of files from the tokenizer's config in `directory`, one of our own folders,
    since transformers would read them. Raises `ArchiveError` if it adds more than `MAX_ADDED`
    pieces.
    """
    path = directory / TOKENIZER_CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return  # who loads it says what is wrong
    if not isinstance(config, dict):
        return
    for name in ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"):
        count = len(config[name]) if isinstance(config.get(name), (dict, list)) else 0
        if count > MAX_ADDED:
            raise ArchiveError(
                f"{shown}: rejected, {name} has {count} pieces, more than {MAX_ADDED}. Put them "
                "into the vocabulary of tokenizer.json."
            )
    kept = {name: value for name, value in config.items() if not name.endswith("_file")}
    if kept != config:
        path.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")


def check_normalizer(path: Path, shown: str) -> None:
    """
    Raises `ArchiveError` if the replacements of the tokenizer at `path` can make more than
    `MAX_GROWTH` characters from one: forty doublings in a row exhaust memory, and the library then
    terminates the process.
    """
    try:
        tokenizer = json.loads(path.read_text(encoding="utf-8"))
        most = growth(tokenizer.get("normalizer"))
    except (OSError, ValueError, RecursionError, AttributeError):
        return  # who loads it says what is wrong
    if most > MAX_GROWTH:
        raise ArchiveError(
            f"{shown}: rejected, its normalizer can make {most:.3g} characters from one, more "
            f"than {MAX_GROWTH}. Remove its replacements."
        )


def check_weights(path: AnyPath, shown: str = "") -> dict[str, torch.Tensor]:
    """
    Returns the contents of the file at `path`, mapped to memory. Raises `ArchiveError` unless that
    is named tensors and nothing else. `shown` replaces `path` in messages.
    """
    shown = shown or str(path)
    try:
        try:
            # Mapped, not read: a second look at a large model costs next to nothing.
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # files from before torch 1.6 cannot be mapped
            state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise ArchiveError(
            f"{shown}: no such file. No model was trained there, or its first epoch is not "
            "finished."
        ) from None
    except pickle.UnpicklingError as error:
        refused_global = re.search(r"GLOBAL (\S+)", str(error))
        raise ArchiveError(
            f"{shown}: rejected or damaged, holds something other than tensors"
            + (f" ({refused_global.group(1)})." if refused_global else ".")
        ) from error
    except SigTermReceived:
        raise
    except Exception as error:  # PyTorch has many ways to fail on damaged files
        raise ArchiveError(f"{shown}: is damaged ({one_line(error)}).") from error
    named = isinstance(state, dict) and all(isinstance(name, str) for name in state)
    if not named or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ArchiveError(f"{shown}: does not hold named tensors.")
    _check_stored(state, shown)
    weights: dict[str, torch.Tensor] = state
    return weights


def check_sums(path: AnyPath) -> None:
    """
    Raises `ArchiveError` if bytes of the weights at `path` have changed since they were written,
    which PyTorch does not notice. This is for run folders: an archive has its own checksum.
    """
    try:
        damaged = damaged_member(path)
    except FileNotFoundError:
        return  # `check_weights` says so
    except Exception as error:  # zip files can be damaged in many ways
        raise ArchiveError(f"{path}: is damaged ({one_line(error)}).") from error
    if damaged is not None:
        raise ArchiveError(
            f"{path}: is damaged, {damaged} does not match its checksum. Copy the file again, or "
            "continue from the last checkpoint with --recover."
        )


def _check_stored(state: dict[str, torch.Tensor], shown: str) -> None:
    """
    Raises `ArchiveError` if tensors have many more numbers than are stored, as is possible for
    views.
    """
    stored: dict[int, int] = {}
    total = 0
    for name, value in state.items():
        if value.layout != torch.strided:
            continue  # its shape is checked against the model's, which has a budget
        storage, size = value.untyped_storage(), value.numel() * value.element_size()
        stored[storage.data_ptr()] = storage.nbytes()
        total += size
        if size > storage.nbytes():
            raise ArchiveError(
                f"{shown}: rejected, the weight {name!r:.80} has {size} bytes of which "
                f"{storage.nbytes()} are stored. Save it again after `contiguous()`."
            )
    if total > _MOST_SHARED * sum(stored.values()):
        raise ArchiveError(
            f"{shown}: rejected, its weights have {total} bytes of which {sum(stored.values())} "
            "are stored. Save them again after `clone()`."
        )


def one_line(error: BaseException, length: int = 120) -> str:
    """Returns the start of a message: those of PyTorch have many lines."""
    return " ".join(str(error).split())[:length] or type(error).__name__


def no_label(namespace: str, label: str) -> ConfigurationError:
    """Returns the error for a vocabulary label that CoNLL-U cannot hold, or that is not a rule."""
    return ConfigurationError(
        f"vocabulary/{namespace}.txt has {label!r:.60}, which is not a label. Copy or train the "
        "model again."
    )


def check_finite(model: torch.nn.Module) -> None:
    """
    # Raises

    `ConfigurationError` if a weight is not a number.
    """
    # Among the buffers are the scales of packed weights.
    for name, tensor in chain(model.named_parameters(), model.named_buffers()):
        if not tensor.is_floating_point():
            continue
        weight = tensor.detach()
        # A sum is finite if all of it is, and quicker than asking of each; but it can overflow.
        if not torch.isfinite(weight.sum()) and not torch.isfinite(weight).all():
            raise ConfigurationError(
                f"the weight {name} has numbers that are not finite, so training diverged. Train "
                "again with a lower learning rate."
            )
