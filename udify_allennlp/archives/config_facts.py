"""Facts about a model from its config and metrics, for models without a card."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from udify_allennlp.text.conllu import treebank_name

_BEST = "best_validation_"


def read_json(path: Path) -> dict[str, Any]:
    """Returns the JSON object in a file; an empty one if the file holds anything else."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        settings = None
    return settings if isinstance(settings, dict) else {}


def treebanks_of(config: Mapping[str, Any]) -> list[str]:
    """The names of the files that the model was trained on; none if one of them is a glob."""
    train_paths = config.get("train_data_path") or []
    paths = [train_paths] if isinstance(train_paths, str) else train_paths
    names: list[str] = []
    if isinstance(paths, list) and all(isinstance(path, str) for path in paths):
        names = [printable(treebank_name(path)) for path in paths]
    if any(re.search(r"[*?\[]", name) for name in names):
        names = []
    return names


def encoder_of(config: Mapping[str, Any]) -> str:
    """Returns the encoder's name as the config gives it."""
    return printable(_part(_part(config, "model"), "embedder").get("model_name") or "")


def tasks_of(config: Mapping[str, Any]) -> list[str]:
    """
    Returns the tasks of a config. A decoder has the name of its task, unless it names another.
    """
    decoders = _part(_part(config, "model"), "decoders")
    tasks = (_part(decoders, name).get("task") or name for name in decoders)
    return sorted(map(printable, tasks))


def _part(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns a section of a config, empty if it is missing."""
    section = config.get(name)
    return section if isinstance(section, dict) else {}


def printable(text: Any) -> str:
    """Escapes characters that could command the terminal of a user who reads a stranger's card."""
    return text if isinstance(text, str) and text.isprintable() else ascii(text)


def best_scores(metrics: Mapping[str, Any]) -> dict[str, Union[int, float]]:
    """Returns from a trainer's metrics those of the best epoch on the development data."""
    return {
        name.removeprefix(_BEST): value
        for name, value in metrics.items()
        if name.startswith(_BEST) and isinstance(value, (int, float))
    }
