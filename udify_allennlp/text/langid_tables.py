"""
The tables of py3langid. Its package has them compressed, and to read them takes a quarter of the
time of a start, and 75 MB. With the environment variable `UDIFY_CACHE` they are kept there as they
are, 68 MB, and later runs map them to memory.
"""

import logging
import os
from pathlib import Path
from typing import Any

import numpy

from udify_allennlp.text.files import fingerprint, whole_file

logger = logging.getLogger(__name__)

_VERSION = b"1"
_Tables = tuple[Any, ...]
"""The six tables and lists that make py3langid's model, in the order of its `load_model`."""


def language_identifier() -> Any:
    """Returns py3langid's identifier, whose scores are probabilities."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
    from py3langid.modelio import load_model

    folder = os.environ.get("UDIFY_CACHE")
    if not folder:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    source = Path(MODEL_DIR, MODEL_FILE)
    name = Path(folder).expanduser() / f"{fingerprint([source], _VERSION)}.langid"
    try:
        tables = _kept(name)
    except (OSError, ValueError, KeyError):
        tables = load_model(source)
        _keep(name, tables)
    chances, shares, names, moves, rows, outputs = tables
    return LanguageIdentifier(chances, shares, names, moves, outputs, norm_probs=True, tk_row=rows)


def _kept(name: Path) -> _Tables:
    """The tables in the files of this name; `OSError` or `ValueError` if there are none."""
    chances, moves = (
        numpy.asarray(numpy.load(name.with_suffix(f".{part}.npy"), mmap_mode="r"))
        for part in ("chances", "moves")
    )
    with numpy.load(name.with_suffix(".small.npz")) as small:
        names, rows, outputs = (small[key].tolist() for key in ("names", "rows", "outputs"))
        # Of a memoryview, numbers are taken as fast as of an array of Python.
        return chances, small["shares"], names, memoryview(moves.data), rows, outputs


def _keep(name: Path, tables: _Tables) -> None:
    chances, shares, names, moves, rows, outputs = tables
    small: dict[str, Any] = {"shares": shares, "names": names, "rows": rows, "outputs": outputs}
    try:
        name.parent.mkdir(parents=True, exist_ok=True)
        for part, table in (("chances", chances), ("moves", moves)):
            with whole_file(name.with_suffix(f".{part}.npy")) as file:
                numpy.save(file, numpy.asarray(table), allow_pickle=False)
        with whole_file(name.with_suffix(".small.npz")) as file:
            numpy.savez(file, **small)
    except OSError as error:
        logger.warning("The tables of py3langid cannot be kept: %s.", error)
