"""
The encoder of a trained model as a plain transformers model, or one that transformers has saved;
and what else of a trained model is looked into.

`name` is what the user typed, and stands in messages; `folder` is where the files are.
"""

import functools
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.compat import archives
from udify_allennlp.data import encoder_files
from udify_allennlp.encoders.hugging_face import without_pooler
from udify_allennlp.kernels.no_init import NoRandomInit
from udify_allennlp.modules.layer_mix import LayerMix

_WEIGHTS = ("weights.th", "best.th")
_PREFIX = "embedder.transformer."


def is_model(name: str) -> bool:
    """Whether `name` is an archive or the folder of a run, not a folder of transformers."""
    if not os.path.isdir(name):
        return os.path.isfile(name)
    try:
        with open(os.path.join(name, "config.json"), encoding="utf-8") as file:
            return "model" in json.load(file)
    except (OSError, ValueError):
        return False


@contextmanager
def model_folder(name: str) -> Iterator[Path]:
    """The folder of a run, or an archive unpacked for as long as the context lasts; checked."""
    if not os.path.isdir(name):
        with archives.extracted_archive(name) as folder:
            yield Path(folder)
        return
    archives.check_config(Path(name, "config.json"))
    archives.check_encoder(Path(name))
    yield Path(name)


def fine_tuned(folder: Path, name: str, implementation: Optional[str] = None) -> Any:
    """
    The encoder of the model in `folder` as transformers makes it, with the pretrained encoder's
    own config: nothing is ours but the weights.
    """
    from transformers import AutoModel

    config = _encoder_config(folder, name)
    weights = _weights(folder, name, _PREFIX)
    with _one_line(name):
        with NoRandomInit():  # every weight is loaded below
            model = _build(functools.partial(AutoModel.from_config, config), implementation)
        model.load_state_dict(weights)
    return model


def layer_mixes(folder: Path, name: str) -> Dict[str, LayerMix]:
    """
    By task, the layer attention of the model in `folder`: the same one for all where they share it.
    """
    model = model_config(folder, name)["model"]
    num_layers = _encoder_config(folder, name).num_hidden_layers
    kind = model.get("layer_attention", "task")
    tasks = sorted(model.get("decoders", {}))  # the order in which AllenNLP makes them
    mixes = {}
    for key in tasks if kind == "task" else ["all"]:
        mixes[key] = LayerMix(num_layers, "sum" if kind == "sum" else "attention")
        with _one_line(name):
            mixes[key].load_state_dict(_weights(folder, name, f"mixes.{key}."))
    return mixes if kind == "task" else dict.fromkeys(tasks, mixes["all"])


def _encoder_config(folder: Path, name: str) -> Any:
    from transformers import AutoConfig

    path = encoder_files.source(_model_name(folder, name), str(folder), "config.json")
    with _one_line(name):
        return AutoConfig.from_pretrained(path, trust_remote_code=False)


def tokenizer_path(folder: Path, name: str) -> str:
    """Where the tokenizer of the model in `folder` is: its own copy, if it has one."""
    return encoder_files.source(_model_name(folder, name), str(folder), "tokenizer.json")


def pretrained(name: str, implementation: Optional[str] = None) -> Any:
    """The encoder in a folder of transformers or of a hub name, in float32."""
    from transformers import AutoModel

    build = functools.partial(AutoModel.from_pretrained, name, trust_remote_code=False)
    with _one_line(name):
        return _build(build, implementation)


def _build(build: Callable[..., Any], implementation: Optional[str]) -> Any:
    settings = {} if implementation is None else {"attn_implementation": implementation}
    # transformers 5 keeps the checkpoint's dtype.
    return without_pooler(functools.partial(build, **settings)).float()


def _weights(folder: Path, name: str, prefix: str) -> Any:
    """The weights whose names begin with `prefix`, which is taken off."""
    found = [folder / file for file in _WEIGHTS if (folder / file).is_file()]
    if not found:
        raise ConfigurationError(
            f"{name}: has no {' or '.join(_WEIGHTS)}. Training has not finished its first epoch, "
            "or this is not the folder of a run."
        )
    archives.check_weights(found[0])
    weights = torch.load(found[0], map_location="cpu", weights_only=True, mmap=True)
    return {
        key.removeprefix(prefix): value for key, value in weights.items() if key.startswith(prefix)
    }


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
def _one_line(name: str) -> Iterator[None]:
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
