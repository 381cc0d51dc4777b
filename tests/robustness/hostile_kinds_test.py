"""
Archives of every kind of model with hostile changes: each parses or is refused in one line, costs
little more than the one that it was made of, and reads nothing outside itself.
"""

import json
import os
import random
import resource
import shutil
import sys
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive

from tests.helpers import DEV, ENCODER
from tests.helpers.archives import Files, write
from tests.robustness import hostile_kinds
from tests.saved_kinds import SHIPPED
from udify_allennlp.parser import Parser
from udify_allennlp.segmenter.archive import segmenter_tokenizer
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.raw_text import lines_of, read_text

IS_SOAK = bool(os.environ.get("UDIFY_SOAK"))
NAMES = hostile_kinds.NAMES if IS_SOAK else ["all_decoders", "static", "rngtr-archive", "segmenter"]
FIRST = int(os.environ.get("UDIFY_SOAK_FROM", 0))
COUNT = 1000 if IS_SOAK else 32
SECONDS, MEGABYTES = 10, 1024
"""Of the processor, and of memory, that an archive may take beyond the one it was made of."""
TEXT = "Der Hund schläft. Er war im Haus."


class Try(NamedTuple):
    """What became of an archive."""

    verdict: str
    """`parsed`, `refused`, or what is wrong."""
    seconds: float
    megabytes: float


def opened(path: Path, name: str) -> str:
    """Loads and parses in this process."""
    try:
        if name == "pretraining":
            load_archive(path)
        elif name == hostile_kinds.SEGMENTER:
            list(read_text(lines_of(TEXT), segmenter_tokenizer(str(path), "de")))
        else:
            sentences = [next(iter(read_sentences(DEV)))]
            parsed = list(Parser.load(path).parse(sentences))
            rows = [line for line in parsed[0].text.splitlines() if line[:1].isdigit()]
            if not rows or any(row.count("\t") != 9 for row in rows):
                return f"rows without 10 columns: {rows[:1]}"
    except (ConfigurationError, InputError) as error:
        text = str(error)
        if "\n" in text or "udify-archive-" in text or len(text) > 900:
            return f"not one line of the archive: {text!r:.200}"
        if not text.startswith(str(path)) and not str(error.__context__).startswith(str(path)):
            return f"names no archive: {text!r:.200}"
        return "refused"
    except BaseException as error:
        return f"traceback: {type(error).__name__}: {error!s:.200}"
    return "parsed"


def watched(path: Path, name: str) -> str:
    """`opened`, where nothing outside the archive may be read, asked or started."""
    told: list[str] = []

    def hook(event: str, given: Any) -> None:
        starts = event.startswith(("socket.connect", "socket.getaddrinfo", "subprocess", "os.exec"))
        if event in ("open", "os.listdir", "os.scandir", "glob.glob", "os.open"):
            where = str(given[0])
            starts = any(part in where for part in (hostile_kinds.OUTSIDE, "/dev/zero", ENCODER))
        if starts:
            told.append(f"{event} {given!r:.100}")

    sys.addaudithook(hook)
    verdict = opened(path, name)
    return f"reads outside: {told[0]}" if told else verdict


def tried(path: Path, name: str, seconds: float = 2 * SECONDS) -> Try:
    """What becomes of an archive in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (4 << 30),) * 2)
        verdict = "dies"
        try:
            verdict = watched(path, name)
        finally:
            os.write(writing, verdict.encode("utf-8", "replace")[:900])
            os._exit(0)
    os.close(writing)
    end = time.monotonic() + 20 * seconds
    while time.monotonic() < end:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.005)
    else:
        os.kill(child, 9)
        _, status, used = os.wait4(child, 0)
    with open(reading, "rb") as file:
        verdict = file.read().decode() or f"killed: {status}"
    return Try(verdict, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Things outside an archive, which a config may name."""
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(ENCODER, folder / hostile_kinds.OUTSIDE)
    shutil.copy(SHIPPED["all_decoders"], folder / hostile_kinds.OUTSIDE / "model.tar.gz")
    Parser.load(SHIPPED["all_decoders"])  # what is imported on the way is not counted below
    return hostile_kinds.outside(folder)


class Honest(NamedTuple):
    files: Files
    took: Try


@pytest.fixture(scope="module")
def honest(names, tmp_path_factory):
    found = {}
    for name in NAMES:
        files = hostile_kinds.honest(name)
        path = write(tmp_path_factory.mktemp("honest") / "model.tar.gz", files)
        found[name] = Honest(files, tried(path, name))
        assert found[name].took.verdict == "parsed", (name, found[name].took)
    return found


def test_hostile_archives_parse_or_are_refused_in_one_line(honest, names, tmp_path):
    counts: dict[str, list[int]] = {}
    wrong = []
    for seed in range(FIRST, COUNT):
        name = NAMES[seed % len(NAMES)]
        draw = random.Random(zlib.crc32(f"{name} {seed}".encode()))
        files = dict(honest[name].files)
        changes = hostile_kinds.change(files, draw, names)
        path = write(tmp_path / "model.tar.gz", files)
        found = tried(path, name)
        costs = (
            found.seconds - honest[name].took.seconds,
            found.megabytes - honest[name].took.megabytes,
        )
        is_right = found.verdict in ("parsed", "refused")
        is_cheap = costs[0] < SECONDS and costs[1] < MEGABYTES
        row = counts.setdefault(name, [0, 0, 0])
        row[("parsed", "refused").index(found.verdict) if is_right and is_cheap else 2] += 1
        if not (is_right and is_cheap):
            wrong.append((seed, name, changes, found))
            sys.stderr.write(f"{wrong[-1]}\n")
        if seed % 50 == 49:
            sys.stderr.write(f"{seed + 1}: parsed, refused, wrong: {json.dumps(counts)}\n")
    assert not wrong
