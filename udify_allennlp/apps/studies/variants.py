"""The systems that `ud-experiment` compares: configs with changes, and trained models."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.studies.runs import Scorer
from udify_allennlp.apps.studies.study import is_folder_name
from udify_allennlp.apps.studies.treebanks import Treebank
from udify_allennlp.archives import shipped


class Variant(NamedTuple):
    """A row of the table: a config with changes, or a trained model."""

    config: str
    changes: dict[str, Any]
    model: Optional[Path] = None
    """A trained model, instead of a config."""


def trained_model(name: str) -> Optional[Path]:
    """
    Returns the path of a trained model, if `text` names one: a run folder, an archive, or
    one of our names.
    """
    if os.path.isdir(name) or name.endswith(".tar.gz"):
        return Path(name)
    return shipped.archive_of(name)


def variants_of(
    texts: list[str], config: Optional[str], option: str = "--variant"
) -> dict[str, Variant]:
    """
    Returns by name the variants that `NAME=JSON`, `NAME=CONFIG`, `NAME=CONFIG JSON` and
    `NAME=MODEL` define; `config` is the default config, or `None` if each variant must name one.

    # Raises

    `ConfigurationError` for any other form, and for duplicate names.
    """
    variants: dict[str, Variant] = {}
    for text in texts:
        name, _, what = text.partition("=")
        path, brace, changes = what.partition("{")
        path = path.strip()
        model = trained_model(path)
        if not is_folder_name(name) or not what:
            variant = None
        elif model:
            variant = None if brace else Variant("", {}, model)
        else:
            variant = _with_config(path, brace + changes, config)
        if variant is None:
            what = "JSON, such as " if config else "a config, alone or with JSON, such as CONFIG "
            raise ConfigurationError(
                f"{option} {text!r}: specify a name and {what}"
                """'{"model.layer_attention": "global"}', or a trained model."""
            )
        if name in variants:
            raise ConfigurationError(f"{option} {name!r} appears twice. Use each name once.")
        variants[name] = variant
    return variants


def _with_config(path: str, changes: str, config: Optional[str]) -> Optional[Variant]:
    try:
        settings = json.loads(changes or "{}")
    except ValueError:
        return None
    if path and not os.path.isfile(path) or not (path or config):
        return None
    return Variant(path or str(config), settings)


def parse_training(
    model: Path, treebanks: Sequence[Treebank], folder: Path, cuda_device: int
) -> None:
    """Parses the training files with `model` into `folder`; each file is parsed once."""
    scorer = Scorer(model, folder, cuda_device)
    for treebank in treebanks:
        assert treebank.train is not None
        name = os.path.basename(treebank.train).split(".conllu")[0]
        scorer.counts(name, treebank.train)
