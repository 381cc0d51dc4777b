"""Files that appear whole or not at all, and input files that are known again."""

import hashlib
import os
import uuid
from pathlib import Path
from typing import Iterable, List, NamedTuple, Optional, Sequence

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import read_sentences

BLOCK = 1 << 20


class Record(NamedTuple):
    """
    What is known of an input.

    # Parameters

    path : `str`
        Where it is; absolute.
    stamp : `List[int]`
        Its size in bytes and the time it was changed, in nanoseconds: while these stay, so do the
        sentences.
    hash : `str`
        The `fingerprint` of its bytes.
    sentences : `int`
        How many it has.
    """

    path: str
    stamp: List[int]
    hash: str
    sentences: int


def examine(path: str) -> Record:
    """
    Read and check a whole file. `ConlluError` for its first invalid sentence, `ConfigurationError`
    if it is no regular file or changes meanwhile.
    """
    if not os.path.isfile(path):
        raise ConfigurationError(f"{path} is not a regular file. Save its content as one.")
    before = stamp(path)
    count = sum(1 for _ in read_sentences(path))
    record = Record(os.path.abspath(path), before, fingerprint([path]), count)
    if stamp(path) != before:
        raise ConfigurationError(f"{path} changed while it was read. Try again when it is done.")
    return record


def stamp(path: str) -> List[int]:
    """Size and time of change of a file."""
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]


def fingerprint(paths: Sequence[str]) -> str:
    """A hash of the bytes of files."""
    digest = hashlib.blake2b(digest_size=16)
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()


def write_whole(path: Path, parts: Iterable[bytes], scratch: Optional[Path] = None) -> None:
    """
    Write a file that is seen whole or not at all, whenever the process or the machine dies;
    after a power cut it may be missing (see `keep_names`).
    `OSError` with the file's name if that fails; then nothing is left behind.

    # Parameters

    path : `Path`
        The file; one that is there is replaced.
    parts : `Iterable[bytes]`
        Its content.
    scratch : `Optional[Path]`
        Where it is written first, on the same disk; by default beside it, under a name that no
        process of any machine has.
    """
    scratch = scratch or path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        with scratch.open("wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except BaseException as error:
        scratch.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def keep_names(folder: Path) -> None:
    """New names in a folder last through a power cut once the folder is on the disk, too."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
