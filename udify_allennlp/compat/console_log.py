"""
The console output of commands. AllenNLP 2.10.1 logs every parameter and step to the screen; here
the log goes only to the run's `out.log`, unless `--verbose` is given or `ALLENNLP_LOG_LEVEL` is
set. The screen shows results, progress bars, warnings, and a line per epoch
(`training/callbacks.py`).
"""

import functools
import logging
import os
import sys
from types import SimpleNamespace
from typing import Any

from allennlp.common import Tqdm
from allennlp.common import logging as common_logging
from allennlp.training import gradient_descent_trainer

VERBOSE = "--verbose"
_QUIET = "UDIFY_QUIET"  # in the environment, for the processes of a distributed run
_NO_BARS = "HF_HUB_DISABLE_PROGRESS_BARS"
_DOWNLOADS = ("urllib3.connectionpool", "cached_path")
"""Loggers of each try to reach a server; if all fail, the error is one line."""
# Said of each run without early stopping, as if that were a mistake.
_MEANINGLESS = ("You provided a validation dataset but patience was set to None",)


def quiet() -> bool:
    """Returns whether this process, or the one that started it, is a command with little output."""
    return bool(os.environ.get(_QUIET))


def settle(words: list[str]) -> list[str]:
    """
    Removes `--verbose` from a command line, before logging is set up, and returns the other words.
    """
    verbose = VERBOSE in words or not {"ALLENNLP_DEBUG", "ALLENNLP_LOG_LEVEL"}.isdisjoint(
        os.environ
    )
    if not verbose:
        os.environ[_QUIET] = "1"
    return [word for word in words if word != VERBOSE]


def forget() -> None:
    """Resets the settings after a command: this process may then do other work."""
    os.environ.pop(_QUIET, None)


def hush() -> None:
    """Shows only warnings on the screen, in short form; log files receive everything."""
    for handler in logging.getLogger().handlers:
        if type(handler) is logging.StreamHandler:
            handler.setLevel(max(handler.level, logging.WARNING))
            handler.setFormatter(_Short())
    for name in _DOWNLOADS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # A bar for weights: a second. transformers asks for this when it is imported.
    os.environ[_NO_BARS] = "1"
    if "transformers" in sys.modules:
        from transformers.utils import logging as of_transformers

        of_transformers.disable_progress_bar()


class _Short(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return f"{record.levelname.lower()}: {super().format(record)}"


def apply() -> None:
    """Fixes the function that sets up logging. Safe to call twice."""
    original = common_logging.prepare_global_logging
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def prepare_global_logging(*args: Any, **kwargs: Any) -> None:
        original(*args, **kwargs)
        if quiet():
            hush()

    common_logging.prepare_global_logging = prepare_global_logging
    trainer = gradient_descent_trainer
    logging.getLogger(trainer.__name__).addFilter(_means_something)
    # Bars of single epochs make room for the line that follows them.
    trainer.Tqdm = SimpleNamespace(
        tqdm=lambda *args, **kwargs: Tqdm.tqdm(*args, leave=not quiet(), **kwargs)
    )


def _means_something(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_MEANINGLESS)
