"""The reason why an archive cannot be loaded, in one line that names the archive."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived

from udify_allennlp.archives import shipped
from udify_allennlp.archives.checks import ArchiveError, one_line
from udify_allennlp.text.files import AnyPath

FOLDER_PREFIX = "udify-archive-"
"""Prefix of the temporary folders that archives are unpacked to."""
# As PyTorch says it, of a GPU and of the processor.
_NO_MEMORY = ("out of memory", "can't allocate memory")


@contextmanager
def told_in_one_line(archive: AnyPath) -> Iterator[None]:
    """
    Raises, within the context, any error that keeps the archive from being loaded as an
    `ArchiveError` that names it.
    """
    try:
        yield
    except (SigTermReceived, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except ArchiveError as error:
        raise_of(archive, error)
    except FileNotFoundError as error:
        if error.filename not in (None, os.fspath(archive)):
            missing = _within(str(error.filename))
            raise ArchiveError(f"{archive}: has no {missing}.") from error
        raise ArchiveError(f"{archive}: no such file or folder.{_shipped()}") from error
    except ConfigurationError as error:  # says how to fix it
        text = _within(one_line(error, 500)).removeprefix(f"{archive}: ")
        raise ArchiveError(f"{archive}: {text}") from error
    except BaseException as error:  # the PanicException of tokenizers, in Rust, is no Exception
        reason = f"{type(error).__name__}: {_within(one_line(error, 300))}"
        if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
            raise ArchiveError(
                f"{archive}: does not fit into memory ({reason}). Free some memory, or use "
                "another device."
            ) from error
        raise ArchiveError(
            f"{archive}: cannot be loaded ({reason}). Its parts are damaged or do not belong "
            "together. Copy or train the model again."
        ) from error


def raise_of(archive: AnyPath, error: ConfigurationError) -> NoReturn:
    """Raises the error; if it names an unpacked file, an error that names the archive instead."""
    text = _within(str(error))
    if text == str(error):
        raise error
    raise ArchiveError(f"{archive}: {text}") from error


def _within(text: str) -> str:
    """Returns a text with the names of unpacked files as they are in the archive."""
    folder = re.escape(os.path.join(tempfile.gettempdir(), FOLDER_PREFIX))
    return re.sub(rf"{folder}[^/\\\s:'\"]*[/\\]?", "", text)


def _shipped() -> str:
    names = ", ".join(shipped.names())
    return f" Models by name: {names}." if names else ""
