"""
Configs in files: AllenNLP's reader also takes the name of a shipped config, and finds the parts of
these from any folder. `--overrides` of settings that the config lacks gives a one-line error.
"""

import errno
import os
from pathlib import Path
from typing import Any, Optional

from allennlp.common import params
from allennlp.common.checks import ConfigurationError

from udify_command.nearest import did_you_mean

CONFIGS = (Path(__file__).resolve().parent.parent / "training_config").resolve()
"""The folder of the shipped configs, and of their `parts/`."""
_NO_JSON = "--overrides (-o) is not a JSON object"
_JSON = """Write it as '{"model.precision": "bfloat16"}', in single quotes."""
_ENDINGS = ("", ".jsonnet", ".libsonnet")
_IMPORTED_FROM = [str(CONFIGS), *(str(path) for path in sorted(CONFIGS.iterdir()) if path.is_dir())]
"""Folders in which a config that was copied elsewhere finds its imports, also from `../parts`."""


def named(name: str) -> Path:
    """
    Returns the path of the shipped config `name`, such as `udify_small_cpu`, or of a part, such as
    `parts/encoder`.

    # Raises

    `ConfigurationError` with the nearest name if it does not exist.
    """
    for ending in _ENDINGS:
        path = CONFIGS / f"{name}{ending}"
        if path.is_file() and CONFIGS in path.resolve().parents:
            return path
    names = [str(path.relative_to(CONFIGS).with_suffix("")) for path in CONFIGS.rglob("*.*sonnet")]
    raise ConfigurationError(
        f"{name}: no such file, and no shipped config.{did_you_mean(name, names)} To list "
        "them: allennlp ud-configs"
    )


def apply() -> None:
    """Fixes the functions with which AllenNLP reads configs. Safe to call twice."""
    if hasattr(params.evaluate_file, "is_fixed"):
        return
    evaluate, fetch, parse = params.evaluate_file, params.cached_path, params.parse_overrides

    def evaluate_file(path: str, **kwargs: Any) -> Any:
        # The jsonnet library (seen with 0.22) ends the process where the file is a folder.
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        return evaluate(path, jpathdir=_IMPORTED_FROM, **kwargs)

    def cached_path(name: Any, **kwargs: Any) -> Any:
        text = os.fspath(name)
        if not os.path.exists(text) and not os.path.splitext(text)[1] and "://" not in text:
            text = str(named(text))
        return fetch(text, **kwargs)

    def parse_overrides(text: str, ext_vars: Optional[dict[str, Any]] = None) -> dict[str, Any]:
        try:
            changes = parse(text, ext_vars)
        except RuntimeError as error:
            if "undefined external variable: " in str(error):
                raise
            reason = " ".join(str(error).split()).removeprefix("STATIC ERROR: ")
            raise ConfigurationError(f"{_NO_JSON} ({reason}). {_JSON}") from error
        if not isinstance(changes, dict):
            raise ConfigurationError(f"{_NO_JSON}. {_JSON}")
        return changes

    evaluate_file.is_fixed = True  # type: ignore[attr-defined]
    params.evaluate_file = evaluate_file
    params.cached_path = cached_path
    params.parse_overrides = parse_overrides
    params.with_overrides = with_overrides


_merged = params.with_overrides


def with_overrides(original: Any, changes: dict[str, Any], prefix: str = "") -> Any:
    """
    Does the same as AllenNLP's function, which calls itself for each section, with errors for
    users.

    # Raises

    `ConfigurationError`, with the nearest name, for a change within an unknown section.
    """
    try:
        return _merged(original, changes, prefix)
    except ValueError as error:
        unknown = [key.partition(".")[0] for key in changes]
        unknown = [name for name in unknown if isinstance(original, dict) and name not in original]
        if not unknown:
            raise ConfigurationError(f"--overrides: {error}") from error
        nearest = did_you_mean(unknown[0], original)
        raise ConfigurationError(
            f"--overrides: unknown setting {prefix}{unknown[0]}.{nearest}"
        ) from error
