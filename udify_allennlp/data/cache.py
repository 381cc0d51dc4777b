"""
Tables kept on disk: a treebank is read once, and later runs map it into memory.

A file of the cache holds the table of one treebank file: `MAGIC`, the length of the header, the
header (JSON: the positions of the arrays, and the label strings), the arrays, and the CRC-32 of
everything before it. No code runs when it is loaded. Its name is a hash of everything the table
depends on, so it is never outdated: the folder can be shared by runs and machines, and emptied at
any time.
"""

import json
import logging
import mmap
import os
import struct
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Optional

import numpy

from udify_allennlp.data.table import Column, TreebankTable
from udify_allennlp.text.files import BLOCK, compression, fingerprint, whole_file

logger = logging.getLogger(__name__)

VERSION = 2
"""
Version of the cache: increase it when the layout, the lemma rules or the checks of sentences
change.
"""
MAGIC = b"udify table\n"
_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<L")
_ALIGNMENT = 64
_DEAD = 24 * 60 * 60  # seconds after which a file that is written is given up


def table_key(path: str, *conditions: bytes) -> str:
    """
    Returns a hash of the bytes of a treebank file, of its compression by name, and of everything
    else that determines its table. Raises `OSError` if the file cannot be read.
    """
    return fingerprint([path], str(VERSION).encode(), compression(path).encode(), *conditions)


class TableCache:
    """
    A folder of tables. Several processes may use it at once. A damaged or truncated file is skipped
    with a warning; if nothing can be written, one warning is logged and nothing is kept.

    # Parameters

    folder : `str`
        It is created if it is missing.
    """

    def __init__(self, folder: str) -> None:
        self.folder = os.path.expanduser(folder)
        self._writable = True
        try:
            os.makedirs(self.folder, exist_ok=True)
            _sweep(self.folder)
        except OSError as error:
            self._give_up(error)

    def load(self, key: str, path: str) -> Optional[TreebankTable]:
        """
        Returns the table saved under `key`, as that of the file `path`; `None` if it is not cached.
        """
        name = self._name(key)
        try:
            # Not a pipe, which would be waited for.
            with open(name, "rb", opener=_without_waiting) as file:
                if _is_whole(file):
                    return _mapped(file, path)
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever is wrong with it, the treebank itself is there
            logger.warning("%s cannot be read (%s): reading %s again.", name, error, path)
            return None
        logger.warning("%s is damaged: reading %s again.", name, path)
        return None

    def save(self, key: str, table: TreebankTable) -> None:
        """Saves the table of one file, which appears only when it is complete."""
        name = self._name(key)
        if not self._writable or (os.path.exists(name) and not os.path.isfile(name)):
            return
        try:
            with whole_file(name) as file:
                _write(file, table)
        except OSError as error:
            self._give_up(error)

    def _name(self, key: str) -> str:
        return os.path.join(self.folder, f"{key}.table")

    def _give_up(self, error: OSError) -> None:
        self._writable = False
        logger.warning(
            "Tables cannot be kept in %s: %s. Treebanks are read again each time. Name a writable "
            "folder in dataset_reader.cache_dir or UDIFY_CACHE.",
            self.folder,
            error,
        )


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _sweep(folder: str) -> None:
    """Removes the unfinished files of processes that died."""
    for entry in os.scandir(folder):
        old = entry.name.endswith(".part") and entry.stat().st_mtime < time.time() - _DEAD
        if old and entry.is_file(follow_symlinks=False):
            with suppress(FileNotFoundError):  # another process sweeps, too
                Path(entry).unlink()


def _arrays(table: TreebankTable) -> dict[str, numpy.ndarray]:
    arrays = {
        "text": table.texts[0],
        "lines": table.lines,
        "text_offsets": table.text_offsets,
        "word_offsets": table.word_offsets,
    }
    for name, column in table.columns.items():
        arrays[f"{name}.codes"] = column.codes
        if column.offsets is not None:
            arrays[f"{name}.offsets"] = column.offsets
    return {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}


def _write(file: IO[bytes], table: TreebankTable) -> None:
    crc = 0

    def put(data: bytes) -> None:
        nonlocal crc
        crc = zlib.crc32(data, crc)
        file.write(data)

    arrays = _arrays(table)
    places: dict[str, Any] = {}
    end = 0
    for name, array in arrays.items():
        places[name] = {"dtype": array.dtype.str, "count": len(array), "offset": end}
        end += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    columns = {name: [column.unit, column.names] for name, column in table.columns.items()}
    header = json.dumps({"arrays": places, "columns": columns}).encode()
    header += b" " * (-(len(MAGIC) + _LENGTH.size + len(header)) % _ALIGNMENT)
    put(MAGIC + _LENGTH.pack(len(header)) + header)
    for array in arrays.values():
        put(array.tobytes())
        put(bytes(-array.nbytes % _ALIGNMENT))
    file.write(_CRC.pack(crc))


def _is_whole(file: IO[bytes]) -> bool:
    """Returns whether the file is one of ours with a correct CRC; leaves it at its start."""
    left = os.fstat(file.fileno()).st_size - _CRC.size
    crc = 0
    if file.read(len(MAGIC)) != MAGIC:
        return False
    file.seek(0)
    # Read, not mapped: what is only checked should not count as memory of this process.
    while left > 0 and (block := file.read(min(BLOCK, left))):
        crc = zlib.crc32(block, crc)
        left -= len(block)
    whole = file.read() == _CRC.pack(crc)
    file.seek(0)
    return whole


def _mapped(file: IO[bytes], path: str) -> TreebankTable:
    memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = len(MAGIC) + _LENGTH.size
    (length,) = _LENGTH.unpack_from(memory, len(MAGIC))
    header = json.loads(memory[start : start + length])
    arrays = {
        name: numpy.frombuffer(
            memory, place["dtype"], place["count"], start + length + place["offset"]
        )
        for name, place in header["arrays"].items()
    }
    return TreebankTable(
        [path],
        [arrays["text"]],
        arrays["lines"],
        arrays["text_offsets"],
        arrays["word_offsets"],
        {
            name: Column(unit, arrays[f"{name}.codes"], names, arrays.get(f"{name}.offsets"))
            for name, (unit, names) in header["columns"].items()
        },
    )
