"""
Tables kept on disk: a treebank is read once, and later runs map it into memory.

A file of the cache holds the table of one treebank file: `MAGIC`, the length of the header, the
header (JSON: where each array lies, and the label strings), the arrays, and the CRC-32 of all that.
No code runs when it is loaded. Its name is a hash of everything the table depends on, so it never
goes out of date: the folder can be shared by runs and machines, and emptied at any time.
"""

import hashlib
import json
import logging
import mmap
import os
import struct
import tempfile
import zlib
from typing import IO, Any, Dict, Optional

import numpy

from udify_allennlp.data.table import LabelColumn, TreebankTable

logger = logging.getLogger(__name__)

VERSION = 1
"""Raise it when the layout, the lemma rules or the checks of sentences change."""
MAGIC = b"udify table\n"
_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<L")
_ALIGNMENT = 64
_BLOCK = 1 << 20


def table_key(path: str, *conditions: bytes) -> str:
    """
    A hash of the bytes of a treebank file, of how its name says it is compressed, and of all else
    that decides its table. `OSError` if the file cannot be read.
    """
    digest = hashlib.blake2b(digest_size=16)
    suffix = os.path.splitext(path)[1]
    compression = suffix if suffix in (".gz", ".xz") else ""
    for part in (str(VERSION).encode(), compression.encode(), *conditions):
        digest.update(_LENGTH.pack(len(part)) + part)
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class TableCache:
    """
    A folder of tables. Several processes may use it at once. A file that is damaged or cut short is
    passed over with a warning; where nothing can be written, that is said once and nothing is kept.

    # Parameters

    folder : `str`
        It is made if it is missing.
    """

    def __init__(self, folder: str) -> None:
        self.folder = os.path.expanduser(folder)
        self._writable = True
        try:
            os.makedirs(self.folder, exist_ok=True)
        except OSError as error:
            self._give_up(error)

    def load(self, key: str, path: str) -> Optional[TreebankTable]:
        """The table saved under `key`, as that of the file `path`; `None` if there is none."""
        name = self._name(key)
        try:
            with open(name, "rb") as file:
                if not _is_whole(file):
                    logger.warning("%s is damaged: %s is read anew.", name, path)
                    return None
                return _mapped(file, path)
        except FileNotFoundError:
            return None
        except OSError as error:
            logger.warning("%s cannot be read (%s): %s is read anew.", name, error, path)
            return None

    def save(self, key: str, table: TreebankTable) -> None:
        """Keep the table of one file. It appears whole or not at all."""
        if not self._writable:
            return
        scratch = ""
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                scratch = file.name
                _write(file, table)
            os.replace(scratch, self._name(key))
        except OSError as error:
            self._give_up(error)
        finally:
            if scratch and os.path.exists(scratch):
                os.remove(scratch)

    def _name(self, key: str) -> str:
        return os.path.join(self.folder, f"{key}.table")

    def _give_up(self, error: OSError) -> None:
        self._writable = False
        logger.warning(
            "Tables are not kept in %s: %s. Treebanks are read anew each time. Name a folder that "
            "can be written to in dataset_reader.cache_dir or UDIFY_CACHE.",
            self.folder,
            error,
        )


def _arrays(table: TreebankTable) -> Dict[str, numpy.ndarray]:
    arrays = {
        "text": table.texts[0],
        "lines": table.lines,
        "text_offsets": table.text_offsets,
        "word_offsets": table.word_offsets,
        "piece_offsets": table.piece_offsets,
        "pieces": table.pieces,
        "first": table.first,
        **{f"labels.{name}": column.codes for name, column in table.labels.items()},
    }
    if table.heads is not None:
        arrays["heads"] = table.heads
    return {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}


def _write(file: Any, table: TreebankTable) -> None:
    crc = 0

    def put(data: Any) -> None:
        nonlocal crc
        crc = zlib.crc32(data, crc)
        file.write(data)

    arrays = _arrays(table)
    places: Dict[str, Any] = {}
    end = 0
    for name, array in arrays.items():
        places[name] = {"dtype": array.dtype.str, "count": len(array), "offset": end}
        end += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    names = {name: column.names for name, column in table.labels.items()}
    header = json.dumps({"arrays": places, "names": names}).encode()
    header += b" " * (-(len(MAGIC) + _LENGTH.size + len(header)) % _ALIGNMENT)
    put(MAGIC + _LENGTH.pack(len(header)) + header)
    for array in arrays.values():
        put(array.tobytes())
        put(bytes(-array.nbytes % _ALIGNMENT))
    file.write(_CRC.pack(crc))


def _is_whole(file: IO[bytes]) -> bool:
    """Whether the file is one of ours and its CRC is right; leaves it at its start."""
    left = os.fstat(file.fileno()).st_size - _CRC.size
    crc = 0
    if file.read(len(MAGIC)) != MAGIC:
        return False
    file.seek(0)
    # Read, not mapped: what is only checked should not count as memory of this process.
    while left > 0 and (block := file.read(min(_BLOCK, left))):
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
        arrays["piece_offsets"],
        arrays["pieces"],
        arrays["first"],
        arrays.get("heads"),
        {
            name: LabelColumn(labels, arrays[f"labels.{name}"])
            for name, labels in header["names"].items()
        },
    )
