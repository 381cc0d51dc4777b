"""
A corpus parsed shard by shard into a folder, so that a run can be killed and resumed.

Each output file has the name of its input and appears when all its shards are done. Next to these
files, `.ud-parse` holds `run.json` (the settings of the whole run), a record for each input that
was started, and the shards of incomplete files. All of these appear by a rename, and a shard only
ever under its number, so everything that exists is complete, and done once. The name of a shard's
folder depends on all that the shards depend on, so a worker that outlives its run cannot write into
another.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Optional

from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError
from filelock import FileLock, Timeout

from udify_allennlp.apps.corpus.records import Record, examine
from udify_allennlp.apps.corpus.shards import Shard, Unfinished, changed
from udify_allennlp.text.files import (
    BLOCK,
    fingerprint,
    keep_names,
    size_and_time,
    write_whole,
)

Examine = Callable[[Sequence[str]], Iterable[Record]]
"""A function that yields the records of files, in any order."""


def examine_here(paths: Sequence[str]) -> Iterator[Record]:
    """Yields the records of files, one after the other."""
    return map(examine, paths)


class CorpusFolder:
    """
    The output folder of one corpus; as a context, it excludes other processes.

    # Parameters

    folder : `Path`
        It is made if it is missing.
    paths : `Sequence[str]`
        The input files, each with another name.
    shard_size : `int`
        Number of sentences per shard.
    model : `str`
        The fingerprint of the model.
    examine : `Examine`
        A function that reads and checks new inputs.

    # Raises

    `ConfigurationError` if two files have the same name, the folder holds an output of another run,
    or an input, `shard_size` or `model` has changed. `ConlluError` for the first invalid sentence
    of any file, before anything is parsed. `OSError`, with the file's name, if a file cannot be
    read or written.
    """

    def __init__(
        self,
        folder: Path,
        paths: Sequence[str],
        shard_size: int,
        model: str,
        examine: Examine = examine_here,
    ) -> None:
        self.folder = folder
        self.shard_size = shard_size
        self._hidden = folder / ".ud-parse"
        self._sources: dict[str, str] = {}
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
        self._examine = examine
        self._records: dict[str, Record] = {}
        self._missing: dict[str, set[int]] = {}

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
            self._find_records()
            self._missing = {name: self._find_missing(name) for name in self._sources}
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def total(self) -> int:
        """The number of sentences."""
        return sum(record.sentences for record in self._records.values())

    @property
    def left(self) -> int:
        """The number of sentences that remain to be parsed."""
        size = self.shard_size
        return sum(
            min(size, self._records[name].sentences - number * size)
            for name, missing in self._missing.items()
            for number in missing
        )

    def unfinished(self) -> Iterator[Unfinished]:
        """Yields the unfinished part of each input; writes the output of inputs that have none."""
        for name, source in self._sources.items():
            missing, shards = sorted(self._missing[name]), self._shards(name)
            if missing:
                shards.mkdir(parents=True, exist_ok=True)
                for path in shards.iterdir():
                    if not path.name.isdigit():  # what a killed run was about to write
                        path.unlink(missing_ok=True)
                stamp = self._records[name].stamp
                yield Unfinished(source, stamp, str(shards), self.shard_size, missing)
            else:
                self._join(name)

    def shards(self) -> Iterator[Shard]:
        """Yields the unfinished shards; one for each file without sentences."""
        for unfinished in self.unfinished():
            yield from unfinished.shards()

    def done(self, target: str) -> None:
        """
        Notes that a shard is done, after `save`: the output file appears if this was its last
        shard.
        """
        shard = Path(target)
        name = shard.parent.parent.name
        self._missing[name].discard(int(shard.name))
        if not self._missing[name]:
            self._join(name)

    def _check_settings(self) -> None:
        path = self._hidden / "run.json"
        if not path.exists():
            write_whole(path, [json.dumps(self._settings).encode()])
        for name, before in json.loads(path.read_text()).items():
            if self._settings[name] != before:
                now = "another model" if name == "model" else f"{name} {self._settings[name]}"
                was = "one model" if name == "model" else f"{name} {before}"
                raise ConfigurationError(
                    f"{self.folder} was started with {was} and cannot continue with {now}. Use the "
                    "original one, or name another folder."
                )

    def _find_records(self) -> None:
        """Finds or makes the records: inputs are read at first, and must be unchanged later."""
        new: list[str] = []
        for name, source in self._sources.items():
            record = self._recall(name, source)
            if record:
                self._records[name] = record
            elif (self.folder / name).exists():
                raise ConfigurationError(
                    f"{self.folder / name} exists and does not belong to this run. Move it away, "
                    "or name another folder."
                )
            else:
                new.append(source)
        if new:
            records = self._examine(new)
            for record in Tqdm.tqdm(records, total=len(new), desc="checking files", unit=" files"):
                self._keep(record)

    def _recall(self, name: str, source: str) -> Optional[Record]:
        path = self._record_path(name)
        if not path.exists():
            return None
        record = Record(**json.loads(path.read_text()))
        now = record._replace(path=os.path.abspath(source), stamp=size_and_time(source))
        if now != record:
            if fingerprint([source]) != record.hash:
                if now.path == record.path:
                    raise changed(source)
                raise ConfigurationError(
                    f"{source} is not {record.path}, whose parse {self.folder} holds under that "
                    "name. Parse it into another folder."
                )
            self._keep(now)
        return now

    def _keep(self, record: Record) -> None:
        name = os.path.basename(record.path)
        self._records[name] = record
        write_whole(self._record_path(name), [json.dumps(record._asdict()).encode()])

    def _find_missing(self, name: str) -> set[int]:
        if (self.folder / name).exists():
            return set()
        shards = self._shards(name)
        done = {path.name for path in shards.iterdir()} if shards.exists() else set()
        return {number for number in range(self._count(name)) if str(number) not in done}

    def _count(self, name: str) -> int:
        return max(1, -(-self._records[name].sentences // self.shard_size))

    def _record_path(self, name: str) -> Path:
        return self._hidden / "records" / f"{name}.json"

    def _shards(self, name: str) -> Path:
        key = json.dumps([self._settings, self._records[name].hash]).encode()
        return self._hidden / "shards" / name / hashlib.blake2b(key, digest_size=8).hexdigest()

    def _join(self, name: str) -> None:
        target = self.folder / name
        if not target.exists():
            if size_and_time(self._sources[name]) != self._records[name].stamp:
                raise changed(self._sources[name])
            write_whole(target, self._parts(name), self._hidden / "joining")
            keep_names(self.folder)  # before its shards go
        shutil.rmtree(self._hidden / "shards" / name, ignore_errors=True)

    def _parts(self, name: str) -> Iterator[bytes]:
        shards = self._shards(name)
        for number in range(self._count(name)):
            with (shards / str(number)).open("rb") as part:
                while block := part.read(BLOCK):
                    yield block
