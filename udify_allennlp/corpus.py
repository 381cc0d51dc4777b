"""
A corpus parsed shard by shard into a folder, so that a run can be killed and taken up again.

A file of the folder has the name of its input and appears whole, when all its shards are done. Next
to these, `.ud-parse` holds `run.json` (what all files have in common), for each input begun a
record (its size, time, hash and number of sentences), and the shards of files that are not whole
yet. Each of them appears by a rename, and a shard only ever under its number, so whatever is there
is done, and done once.
"""

import gzip
import hashlib
import json
import lzma
import os
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set

from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError
from filelock import FileLock, Timeout

from udify_allennlp.conllu import Sentence, read_sentences

_BLOCK = 1 << 20


class Shard(NamedTuple):
    """Sentences `first` (from 1) and following of the file `source`, for the file `target`."""

    source: str
    target: str
    first: int
    sentences: List[Sentence]

    def __str__(self) -> str:
        return f"{self.source}, sentences {self.first} to {self.first + len(self.sentences) - 1}"


class CorpusFolder:
    """
    The output folder of one corpus; as a context, no other process can work on it.

    # Parameters

    folder : `Path`
        It is made if it is missing.
    paths : `Sequence[str]`
        The input files, each with another name.
    shard_size : `int`
        Sentences in a shard.
    model : `str`
        A fingerprint of what parses.

    # Raises

    `ConfigurationError` if two files have one name, the folder holds an output that is not of this
    run, an input is not what it was, or `shard_size` or `model` are not. `ConlluError` for the
    first invalid sentence of any file, before anything is parsed.
    """

    def __init__(self, folder: Path, paths: Sequence[str], shard_size: int, model: str) -> None:
        self.folder = folder
        self.shard_size = shard_size
        self._hidden = folder / ".ud-parse"
        self._sources: Dict[str, str] = {}
        for path in paths:
            name = os.path.basename(path)
            if name in self._sources:
                raise ConfigurationError(
                    f"{self._sources[name]} and {path} have the same name. "
                    "Parse them into different folders."
                )
            self._sources[name] = path
        for part in ("records", "shards"):
            (self._hidden / part).mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self._hidden / "lock", timeout=0)
        self._settings = {"shard_size": shard_size, "model": model}
        self._records: Dict[str, Dict[str, Any]] = {}
        self._missing: Dict[str, Set[int]] = {}

    def __enter__(self) -> "CorpusFolder":
        try:
            self._lock.acquire()
        except Timeout:
            raise ConfigurationError(
                f"Another process is parsing into {self.folder}. Wait for it, or name another "
                "folder."
            ) from None
        try:
            self._check_settings()
            for name in Tqdm.tqdm(self._sources, desc="checking files"):
                self._records[name] = self._record(name)
                self._missing[name] = self._find_missing(name)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def total(self) -> int:
        """How many sentences there are."""
        return sum(record["sentences"] for record in self._records.values())

    @property
    def left(self) -> int:
        """How many sentences are still to be parsed."""
        size = self.shard_size
        return sum(
            min(size, self._records[name]["sentences"] - number * size)
            for name, missing in self._missing.items()
            for number in missing
        )

    def shards(self) -> Iterator[Shard]:
        """The shards that are not done; one for each file without sentences."""
        for name, source in self._sources.items():
            if not self._missing[name]:
                self._join(name)
                continue
            wanted = set(self._missing[name])
            self._check_unchanged(name)
            for number, sentences in enumerate(_groups(source, self.shard_size)):
                if number in wanted:
                    target = str(self._shard(name, number))
                    yield Shard(source, target, number * self.shard_size + 1, sentences)

    def done(self, shard: Shard) -> None:
        """Called after `save`: the file appears if this was the last of its shards."""
        name = os.path.basename(shard.source)
        self._missing[name].discard(int(Path(shard.target).name))
        if not self._missing[name]:
            self._join(name)

    def _check_settings(self) -> None:
        path = self._hidden / "run.json"
        if not path.exists():
            _write(path, json.dumps(self._settings).encode())
        for name, before in json.loads(path.read_text()).items():
            if self._settings[name] != before:
                now = "another model" if name == "model" else f"{name} {self._settings[name]}"
                was = "one model" if name == "model" else f"{name} {before}"
                raise ConfigurationError(
                    f"{self.folder} was begun with {was} and cannot go on with {now}. "
                    "Give what was given before, or name another folder."
                )

    def _record(self, name: str) -> Dict[str, Any]:
        """What is known of an input; all of it is read and checked when it is met first."""
        path, source = self._hidden / "records" / f"{name}.json", self._sources[name]
        if path.exists():
            record: Dict[str, Any] = json.loads(path.read_text())
            if _stamp(source) != record["stamp"]:
                if fingerprint([source]) != record["hash"]:
                    raise self._changed(source)
                record["stamp"] = _stamp(source)
                _write(path, json.dumps(record).encode())
            return record
        if (self.folder / name).exists():
            raise ConfigurationError(
                f"{self.folder / name} exists and is not of this run. "
                "Move it away, or name another folder."
            )
        stamp = _stamp(source)
        count = sum(1 for _ in read_sentences(source))
        record = {"stamp": stamp, "hash": fingerprint([source]), "sentences": count}
        _write(path, json.dumps(record).encode())
        return record

    def _find_missing(self, name: str) -> Set[int]:
        if (self.folder / name).exists():
            return set()
        count = self._count(name)
        return {number for number in range(count) if not self._shard(name, number).exists()}

    def _count(self, name: str) -> int:
        return max(1, -(-self._records[name]["sentences"] // self.shard_size))

    def _shard(self, name: str, number: int) -> Path:
        return self._hidden / "shards" / name / str(number)

    def _join(self, name: str) -> None:
        target = self.folder / name
        if not target.exists():
            self._check_unchanged(name)
            scratch = self._hidden / "joining"
            with scratch.open("wb") as file:
                for number in range(self._count(name)):
                    with self._shard(name, number).open("rb") as part:
                        shutil.copyfileobj(part, file, _BLOCK)
                file.flush()
                os.fsync(file.fileno())
            os.replace(scratch, target)
        shutil.rmtree(self._hidden / "shards" / name, ignore_errors=True)

    def _check_unchanged(self, name: str) -> None:
        source = self._sources[name]
        if _stamp(source) != self._records[name]["stamp"]:
            raise self._changed(source)

    def _changed(self, source: str) -> ConfigurationError:
        return ConfigurationError(
            f"{source} has changed since its parse into {self.folder} was begun. "
            "Restore it, or name another folder."
        )


def save(sentences: Sequence[Sentence], target: str) -> None:
    """Write a shard. Compressed shards can be joined, and the same ones are the same bytes."""
    data = "".join(sentence.text for sentence in sentences).encode("utf-8")
    name = os.path.dirname(target)
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # a time would make each run another file
    elif name.endswith(".xz"):
        data = lzma.compress(data)
    os.makedirs(name, exist_ok=True)
    _write(Path(target), data)


def _groups(source: str, size: int) -> Iterator[List[Sentence]]:
    """The sentences of a file, `size` at a time; one empty group if there are none."""
    group: List[Sentence] = []
    empty = True
    for sentence in read_sentences(source):
        group.append(sentence)
        if len(group) == size:
            yield group
            group, empty = [], False
    if group or empty:
        yield group


def _write(path: Path, data: bytes) -> None:
    scratch = path.with_name(f"{path.name}.{os.getpid()}.part")
    with scratch.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(scratch, path)


def _stamp(path: str) -> List[int]:
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]


def fingerprint(paths: Sequence[str]) -> str:
    """A hash of the bytes of files."""
    digest = hashlib.blake2b(digest_size=16)
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()
