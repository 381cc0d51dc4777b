"""
The encoder of a trained model as a plain transformers model: nothing is ours but the weights.

`name` is what the user typed, and stands in messages; `folder` is where the files are.
"""

import functools
import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from allennlp.common.checks import ConfigurationError
from safetensors import SafetensorError

from udify_allennlp.archives.budget import bounded_by
from udify_allennlp.archives.loading import archive_in
from udify_allennlp.archives.run_folder import load_weights, model_folder, weights_file
from udify_allennlp.data import encoder_files
from udify_allennlp.data.wordpieces import load_tokenizer
from udify_allennlp.encoders.pretrained import without_pooler
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.text.files import AnyPath

_PREFIX = "embedder.transformer."


def is_model(name: str) -> bool:
    """Whether `name` is an archive, the folder of a run, or a model that comes with the package."""
    if not os.path.isdir(name):
        return os.path.isfile(archive_in(name))
    try:
        with open(os.path.join(name, "config.json"), encoding="utf-8") as file:
            return "model" in json.load(file)
    except (OSError, ValueError):
        return False


def fine_tuned(folder: Path, name: str, implementation: Optional[str] = None) -> Any:
    """
    The encoder of the model in `folder` as transformers makes it, with the pretrained encoder's
    own config: nothing is ours but the weights.
    """
    from transformers import AutoModel

    config = encoder_config(folder, name)
    weights = weights_below(folder, _PREFIX)
    with one_line(name), bounded_by(weights_file(folder)):
        with NoRandomInit():  # every weight is loaded below
            model = in_float32(functools.partial(AutoModel.from_config, config), implementation)
        model.load_state_dict(weights)
    return model


def export(folder: Path, name: str, target: AnyPath) -> None:
    """
    Save the encoder of the model in `folder`, and its tokenizer, as transformers does.

    # Raises

    `ConfigurationError` if `target` cannot be written; nothing of it is left there then.
    """
    encoder, tokenizer = fine_tuned(folder, name), load_tokenizer(tokenizer_path(folder, name))
    with tempfile.TemporaryDirectory(dir=target) as scratch:
        try:
            encoder.save_pretrained(scratch)
            tokenizer.save_pretrained(scratch)
        except (OSError, SafetensorError) as error:  # a full disk
            reason = " ".join(str(error).split())
            raise ConfigurationError(
                f"{target}: cannot be written ({reason}). Free some space, or name another folder."
            ) from error
        for path in Path(scratch).iterdir():
            os.replace(path, Path(target) / path.name)


def encoder_config(folder: Path, name: str) -> Any:
    """What transformers says of the encoder of the model in `folder`."""
    from transformers import AutoConfig

    path = encoder_files.source(_model_name(folder, name), str(folder), "config.json")
    with one_line(name):
        return AutoConfig.from_pretrained(path, trust_remote_code=False)


def tokenizer_path(folder: Path, name: str) -> str:
    """Where the tokenizer of the model in `folder` is: its own copy, if it has one."""
    return encoder_files.source(_model_name(folder, name), str(folder), "tokenizer.json")


def in_float32(build: Callable[..., Any], implementation: Optional[str]) -> Any:
    """The encoder that `build` makes, without a pooler, with one of transformers' attentions."""
    settings = {} if implementation is None else {"attn_implementation": implementation}
    # transformers 5 keeps the checkpoint's dtype.
    return without_pooler(functools.partial(build, **settings)).float()


def weights_below(folder: Path, prefix: str) -> Any:
    """The weights whose names begin with `prefix`, which is taken off."""
    weights = load_weights(folder).items()
    return {key.removeprefix(prefix): value for key, value in weights if key.startswith(prefix)}


def _model_name(folder: Path, name: str) -> str:
    return str(model_config(folder, name)["model"]["embedder"]["model_name"])


def model_config(folder: Path, name: str) -> Any:
    """The config of the model in `folder`; `ConfigurationError` if it has no encoder of ours."""
    with open(folder / "config.json", encoding="utf-8") as file:
        config = json.load(file)
    embedder = config.get("model", {}).get("embedder", {})
    if embedder.get("type") != "udify_encoder":
        raise ConfigurationError(
            f"{name}: its config.json names no model.embedder of type udify_encoder. Give the "
            "archive or the folder of a trained model."
        )
    return config


@contextmanager
def one_line(name: str) -> Iterator[None]:
    """Mistakes that transformers reports over many lines, in one."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ConfigurationError(
            f"No encoder could be loaded from {name!r}: {reason} Give the "
            "archive or the folder of a trained model, a folder saved with save_pretrained, or a "
            "name on the Hugging Face hub."
        ) from None


@functools.lru_cache(maxsize=2)
def _exported(name: str) -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="udify-encoder-")
    with model_folder(name) as source:
        export(source, name, folder.name)
    return folder


@encoder_files.ENCODER_FINDERS.add
def _folder_of_encoder(name: str) -> Optional[str]:
    """
    A folder, for as long as the process runs, with the encoder of a model of ours; None for what
    is none.
    """
    return _exported(name).name if is_model(name) else None
