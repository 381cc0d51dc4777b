"""Files that are written whole or not at all, that are compressed, and that are known again."""

import gzip
import hashlib
import lzma
import os
import uuid
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Iterable, Iterator, List, Optional, Sequence, Union

AnyPath = Union[str, "os.PathLike[str]"]
BLOCK = 1 << 20
"""Bytes that are read or written at a time."""
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""What reading a compressed file that is damaged or cut short raises."""


def compression(path: AnyPath) -> str:
    """`.gz`, `.xz`, or nothing: how the name of a file says that it is compressed."""
    ending = os.path.splitext(path)[1]
    return ending if ending in (".gz", ".xz") else ""


def open_compressed(path: AnyPath) -> IO[bytes]:
    """The bytes of a file, uncompressed. `OSError`; and `DAMAGED` when they are read."""
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}.get(compression(path), open)
    return opener(path, "rb")  # type: ignore[no-any-return]


@contextmanager
def whole_file(
    path: AnyPath, scratch: Optional[Path] = None, compress: bool = True
) -> Iterator[IO[bytes]]:
    """
    A file to write, which is seen whole or not at all whenever the process or the machine dies; it
    appears when the block ends without an error, and is on the disk then (its name is once
    `keep_names` was called). A link stays a link; a pipe or a terminal is written to as it is.

    # Parameters

    path : `AnyPath`
        The file; one that is there is replaced. A name in `.gz` or `.xz` is compressed.
    scratch : `Optional[Path]`
        Where it is written first, on the same disk; by default beside it, under a name that no
        process of any machine has.
    compress : `bool`
        False leaves the compression that the name asks for to the caller.

    # Raises

    `OSError` with the file's name if that fails; then nothing is left behind.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    scratch = scratch or target.with_name(f"{uuid.uuid4().hex}.part")
    try:
        with scratch.open("wb") as file:
            with _compressed(file, compression(target) if compress else "") as compressed:
                yield compressed
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    except BaseException as error:
        scratch.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(scratch)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def write_whole(path: AnyPath, parts: Iterable[bytes], scratch: Optional[Path] = None) -> None:
    """Write a file as `whole_file` does."""
    with whole_file(path, scratch) as file:
        for part in parts:
            file.write(part)


def keep_names(folder: AnyPath) -> None:
    """New names in a folder last through a power cut once the folder is on the disk, too."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def fingerprint(paths: Sequence[AnyPath], *conditions: bytes) -> str:
    """A hash of the bytes of files, and of anything else."""
    digest = hashlib.blake2b(digest_size=16)
    for condition in conditions:
        digest.update(len(condition).to_bytes(8, "little") + condition)
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()


def size_and_time(path: AnyPath) -> List[int]:
    """Size in bytes and time of change in nanoseconds: while these stay, so does the content."""
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]


@contextmanager
def _compressed(file: IO[bytes], how: str) -> Iterator[IO[bytes]]:
    if how == ".gz":  # without name and time, so that equal content gives equal bytes
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
            yield compressed  # type: ignore[misc]
    elif how == ".xz":
        with lzma.LZMAFile(file, "wb") as compressed:
            yield compressed
    else:
        yield file
