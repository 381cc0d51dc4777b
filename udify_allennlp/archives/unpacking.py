"""Archives as files: written completely and reproducibly, unpacked with limits."""

import gzip
import io
import logging
import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Optional

from allennlp.common.util import SigTermReceived

from udify_allennlp.archives.checks import ArchiveError, one_line
from udify_allennlp.text.files import BLOCK, AnyPath, keep_names, whole_file

logger = logging.getLogger(__name__)

MAX_UNPACKED = "UDIFY_MAX_UNPACKED"
"""
Environment variable: gigabytes (2^30 bytes) that an archive may unpack to, regardless of its size.
"""
MAX_MEMBERS = 2000
# Trained weights are noise to gzip. What does become smaller is text, up to about ten times.
_MOST_TIMES = 20
_SMALL = 64 << 20  # bytes that any archive may unpack to: new weights can be all zeros
_SMALL_TEXT = 4 << 20  # of these, bytes that are no weights
_WEIGHTS = ("weights.th",)
Tar = tarfile.TarFile
Member = tarfile.TarInfo
"""Types for callers of `open_tar`; only this module opens archives."""


@contextmanager
def open_tar(name: AnyPath, mode: str) -> Iterator[tarfile.TarFile]:
    """
    Replaces `tarfile.open` for `archive_model`. The archive replaces an existing one only when it
    is complete, so a full disk leaves the old one. Times, owners and permissions are omitted: equal
    runs give equal bytes.

    It is gzipped, but not compressed. For gzip, trained weights are noise: compression takes up to
    80 s per GB to write them and 4 s per GB at every start to read them, and leaves 93% of the
    size. AllenNLP without this package reads the archive, too.
    """
    if mode != "w:gz":
        raise ValueError(f"open_tar writes archives, mode w:gz, not {mode}")
    with (
        whole_file(name, how="") as file,
        gzip.GzipFile("", "wb", compresslevel=0, fileobj=file, mtime=0) as zipped,
        _EqualTar(fileobj=zipped, mode="w") as tar,
    ):
        yield tar
    keep_names(os.path.dirname(os.path.realpath(name)))


class _EqualTar(tarfile.TarFile):
    """A gzip file whose bytes depend only on its content, not on its time or author."""

    def gettarinfo(self, *args: Any, **kwargs: Any) -> tarfile.TarInfo:
        member = super().gettarinfo(*args, **kwargs)
        member.mtime = member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mode = 0o755 if member.isdir() else 0o644
        return member


def unpack(archive: AnyPath, directory: str, part: str = "") -> None:
    """
    Unpacks `archive`, or only the folder `part` of it, into an existing folder.

    # Raises

    `ArchiveError` if it is missing or damaged, has a member that is a link, a device or outside the
    archive, or unpacks to more than `limit`.
    """
    logger.info("extracting archive file %s to temp dir %s", archive, directory)
    text = 0  # bytes of all that are no weights: labels, tokenizers, configs
    with _opened(archive) as (unzipped, tar):
        for member in _members(tar, archive):
            if part and not member.name.startswith(f"{part}/"):
                continue
            is_text = os.path.basename(member.name) not in _WEIGHTS
            for size in _write(tar, member, os.path.join(directory, member.name)):
                text += size * is_text
                unzipped.check_text(text)
        # tarfile stops before the checksum at the end of the file, so flipped bits would pass.
        while unzipped.read(1 << 20):
            pass


def holds(archive: AnyPath, name: str) -> bool:
    """
    Returns whether an archive has a member of this name, reading it up to there, or to its end.

    # Raises

    `ArchiveError`, as in `unpack`, if it is damaged before that member.
    """
    with _opened(archive) as (_, tar):
        return any(member.name == name for member in _members(tar, archive))


@contextmanager
def _opened(archive: AnyPath) -> Iterator[tuple["_Limited", tarfile.TarFile]]:
    with (
        _errors_of(archive),
        open(archive, "rb") as file,
        _Limited(file, archive) as unzipped,
        tarfile.open(fileobj=unzipped, mode="r:") as tar,
    ):
        yield unzipped, tar


def _members(tar: tarfile.TarFile, archive: AnyPath) -> Iterator[tarfile.TarInfo]:
    """Yields the members in one pass: going back would decompress everything again."""
    for number, member in enumerate(tar):
        if number >= MAX_MEMBERS:
            raise ArchiveError(f"{archive}: rejected, it contains more than {MAX_MEMBERS} files.")
        _check_member(archive, member)
        yield member


@contextmanager
def _errors_of(archive: AnyPath) -> Iterator[None]:
    try:
        yield
    except (ArchiveError, SigTermReceived):
        raise
    except FileNotFoundError as error:
        raise ArchiveError(f"{archive}: no such file.") from error
    except OSError as error:
        if not isinstance(error, gzip.BadGzipFile):
            # A full disk, a folder instead of a file, no permission.
            raise ArchiveError(f"{archive}: cannot be unpacked ({one_line(error)}).") from error
        raise _damaged(archive, error) from error
    except Exception as error:  # of zlib, gzip, tarfile, and of names that no file can have
        raise _damaged(archive, error) from error


def _damaged(archive: AnyPath, error: Exception) -> ArchiveError:
    return ArchiveError(
        f"{archive}: not a gzipped tar file, or a damaged or truncated one ({one_line(error)}). "
        "Copy or train the model again."
    )


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> Iterator[int]:
    """Yields the number of bytes of each block as it is written."""
    # Not by tarfile's `extract`: without its "data" filter, which Python 3.11.2 of Debian 12 lacks,
    # it would give files the owners and modes that the archive says.
    if member.isdir():
        os.makedirs(path, exist_ok=True)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    content = tar.extractfile(member)
    assert content is not None  # a regular file: `_check_member`
    with content, open(path, "wb") as file:
        while block := content.read(BLOCK):
            file.write(block)
            yield len(block)


def limit(size: int) -> int:
    """
    Returns the number of bytes that an archive of `size` bytes may unpack to.

    # Raises

    `ArchiveError` if the environment variable `UDIFY_MAX_UNPACKED` is not a number.
    """
    gigabytes = os.environ.get(MAX_UNPACKED)
    if not gigabytes:
        return _SMALL + _MOST_TIMES * size
    try:
        return int(float(gigabytes) * 2**30)
    except (ValueError, OverflowError):
        raise ArchiveError(
            f"{MAX_UNPACKED} is {gigabytes!r}. Set it to a number of gigabytes, or unset it."
        ) from None


class _Limited(gzip.GzipFile):
    """
    A reader that raises an error before it reads or skips bytes beyond a limit.
    """

    def __init__(self, file: IO[bytes], archive: AnyPath) -> None:
        super().__init__(fileobj=file, mode="rb")
        self._file = file
        self._archive = archive
        self._limit = limit(os.fstat(file.fileno()).st_size)

    def check_text(self, size: int) -> None:
        """
        Raises `ArchiveError` if `size` bytes of text are more than the bytes read so far can yield.
        """
        most = _SMALL_TEXT + _MOST_TIMES * self._file.tell()
        if size > most and not os.environ.get(MAX_UNPACKED):
            raise ArchiveError(
                f"{self._archive}: rejected, it unpacks to more than {most >> 20} MB of labels "
                f"and settings. If you trust its author, set {MAX_UNPACKED} to the gigabytes to "
                "allow."
            )

    def read(self, size: Optional[int] = -1) -> bytes:
        assert size is not None and size >= 0  # tarfile always says how much
        self._check(self.tell() + size)
        return super().read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._check(offset)
        return super().seek(offset, whence)

    def _check(self, end: int) -> None:
        # What is read last, behind the archive's end, is asked for by the megabyte.
        if end > self._limit + (1 << 20):
            raise ArchiveError(
                f"{self._archive}: rejected, it unpacks to more than {self._limit >> 20} MB. If "
                f"you trust its author, set {MAX_UNPACKED} to the gigabytes to allow."
            )


def _check_member(archive: AnyPath, member: tarfile.TarInfo) -> None:
    # Stricter than tarfile's "data" filter, which takes the slash off absolute names and admits
    # links inside the archive, a source of past escapes. AllenNLP writes neither.
    name = member.name
    of_system = Path(name).is_absolute() or re.search(r"^[A-Za-z]:|^\\|\0", name)
    if of_system or ".." in re.split(r"[/\\]", name):
        raise ArchiveError(f"{archive}: rejected, member {name!r} points outside the archive.")
    if not (member.isreg() or member.isdir()) or member.issparse():
        raise ArchiveError(f"{archive}: rejected, member {name!r} is a link or a device.")
