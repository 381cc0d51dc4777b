"""
Files that are written completely or not at all, that are compressed, and that are recognized again.
"""

import gzip
import hashlib
import lzma
import os
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Optional, Union

AnyPath = Union[str, "os.PathLike[str]"]
BLOCK = 1 << 20
"""Number of bytes that are read or written at a time."""
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""The errors of reading a damaged or truncated compressed file."""
_OPENERS: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open}


class CutShort(Exception):
    """
    Raised inside a block that writes a file when its content ended early, for the reason in
    `__cause__`: the part written so far is kept under the name that `part_of` returns.
    """


def part_of(path: AnyPath) -> str:
    """Returns the path at which the beginning of an incomplete file is kept."""
    return f"{os.path.realpath(path)}.part"


def compression(path: AnyPath) -> str:
    """Returns the compression that the name of a file indicates: `.gz`, `.xz`, or nothing."""
    ending = os.path.splitext(path)[1]
    return ending if ending in _OPENERS else ""


def open_compressed(path: AnyPath) -> IO[bytes]:
    """
    Returns the bytes of a file, uncompressed. Raises `OSError`, and `DAMAGED` when they are read.
    """
    opener = _OPENERS.get(compression(path), open)
    return opener(path, "rb")  # type: ignore[no-any-return]


def uncompressed(file: IO[bytes], path: AnyPath) -> IO[bytes]:
    """Reads an open file whose name is `path`, like `open_compressed`."""
    opener = _OPENERS.get(compression(path))
    return opener(file, "rb") if opener else file


def compress(data: bytes, how: str) -> bytes:
    """
    Returns a complete compressed file; `how` is a result of `compression`. The same data gives the
    same bytes, and such files can be concatenated.
    """
    if how == ".gz":
        return gzip.compress(data, mtime=0)
    return lzma.compress(data) if how == ".xz" else data


@contextmanager
def whole_file(
    path: AnyPath, scratch: Optional[Path] = None, how: Optional[str] = None
) -> Iterator[IO[bytes]]:
    """
    Yields a file to write, which is visible only when it is complete, even if the process or the
    machine dies; it appears when the block ends without an error, and is then on disk (its name is,
    once `keep_names` was called). A link stays a link; a pipe or a terminal is written to, not
    replaced.

    # Parameters

    path : `AnyPath`
        The file; an existing one is replaced.
    scratch : `Optional[Path]`
        A path to write it to first, on the same disk; by default in the same folder, under a name
        that no process of any machine has.
    how : `Optional[str]`
        Compression: `.gz`, `.xz`, or empty for none; by default according to the name.

    # Raises

    `OSError` with the file's name if this fails; nothing is then left behind. After `CutShort`, the
    written part is kept as `part_of(path)`.
    """
    target = Path(os.path.realpath(path))
    how = compression(target) if how is None else how
    # Of `path`: where `/dev/stdout` is a pipe, it leads to no other name.
    if os.path.exists(path) and not os.path.isfile(path):
        with _named(path), open(path, "wb") as file, _compressed(file, how) as compressed:
            yield compressed
        return
    with (
        published(target, scratch, shown=path) as name,
        name.open("wb") as file,
        _compressed(file, how) as compressed,
    ):
        yield compressed


@contextmanager
def published(
    path: AnyPath, scratch: Optional[Path] = None, shown: Optional[AnyPath] = None
) -> Iterator[Path]:
    """
    Yields the name under which other code must write a file. The file is `path`, complete and on
    disk, when the block ends without an error; see `whole_file`. `shown` replaces it in errors.
    """
    target = Path(path)
    scratch = scratch or target.with_name(f"{uuid.uuid4().hex}.part")
    with _named(path if shown is None else shown, scratch):
        try:
            yield scratch
            with scratch.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(scratch, target)
        except BaseException as error:
            with suppress(OSError):  # it may lie below a file
                if isinstance(error, CutShort) and _size(part_of(target)) <= _size(scratch):
                    os.replace(scratch, part_of(target))
                scratch.unlink(missing_ok=True)
            raise


def _size(path: AnyPath) -> int:
    return Path(path).stat().st_size if os.path.exists(path) else 0


def write_whole(path: AnyPath, parts: Iterable[bytes], scratch: Optional[Path] = None) -> None:
    """Writes these bytes unchanged through `whole_file`, without compression by name."""
    with whole_file(path, scratch, how="") as file:
        for part in parts:
            file.write(part)


def keep_names(folder: AnyPath) -> None:
    """Writes a folder to disk, so that new names in it survive a power cut."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def fingerprint(paths: Sequence[AnyPath], *conditions: bytes) -> str:
    """Returns a hash of the bytes of files, and of anything else."""
    digest = hashlib.blake2b(digest_size=16)
    for condition in conditions:
        digest.update(len(condition).to_bytes(8, "little") + condition)
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()


def damaged_member(path: AnyPath) -> Optional[str]:
    """
    Returns the first member of a zip file whose bytes do not match its checksum; `None` if all do,
    or if the file is not a zip file. Raises `zipfile.BadZipFile` and `DAMAGED` if it cannot be read
    that far.
    """
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as file:
        return file.testzip()


def size_and_time(path: AnyPath) -> list[int]:
    """
    Returns the size in bytes and the time of change in nanoseconds: while these are the same, so is
    the content.
    """
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]


@contextmanager
def _named(path: AnyPath, scratch: Optional[Path] = None) -> Iterator[None]:
    """Renames an `OSError` without a file, or with the scratch file, to `path`."""
    try:
        yield
    except OSError as error:
        if error.errno and error.filename in (None, str(scratch)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


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
