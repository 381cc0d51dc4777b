"""Files with faults, made at random from a fixed seed out of the CoNLL-U of the fixtures."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Optional

from tests.conftest import FIXTURES

MOST = 3000  # bytes of a file: its first sentences
CELLS = [
    b"",
    b"_",
    b"0",
    b"1",
    b"-1",
    b"01",
    b"1-2",
    b"3-2",
    b"0-1",
    b"1.1",
    b"0.1",
    b"1.0",
    b"1e3",
]
CELLS += [b"9" * 30, b"9" * 5000, b"1-" + b"9" * 5000, b"9" * 5000 + b".1", b"1." + b"9" * 5000]
CELLS += [
    word.encode() for word in ("²", "٣", "１", " ", "\u00a0", "\u2028", "\ufeff", "a b", "😀")
]
CELLS += [
    b"\0",
    b"\r",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"|",
    b"=",
    b"a=b|",
    b"SpacesAfter=\\",
]
LINES = [b"", b" ", b"#", b"# text = x", b"\t" * 9, b"1\t" * 9 + b"1", b"\xef\xbb\xbf", b"a" * 5000]

Change = Callable[[bytes, random.Random], bytes]


def mutants(
    count: int, seed: int = 11, sources: Optional[Sequence[bytes]] = None
) -> Iterator[bytes]:
    """
    The same ones each time; each has from one to four changes. Made of `sources`, by default the
    CoNLL-U of the fixtures.
    """
    sources = sources or _sources()
    draw = random.Random(seed)
    for _ in range(count):
        data = draw.choice(sources)
        for _ in range(draw.choice([1, 1, 2, 4])):
            data = draw.choice(CHANGES)(data, draw)
        yield data


def _sources() -> list[bytes]:
    paths = sorted([*FIXTURES.glob("conllu/**/*.conllu"), *FIXTURES.glob("*/*-dev.conllu")])
    files = [path.read_bytes() for path in paths]
    # Whole sentences, so that what follows a change is in order.
    return [
        data if len(data) <= MOST else data[: data.rindex(b"\n\n", 0, MOST) + 2] for data in files
    ]


def _place(data: bytes, draw: random.Random) -> tuple[int, int]:
    start = draw.randint(0, len(data))
    return start, min(len(data), start + draw.choice([1, 1, 2, 10, 100, 1000]))


def _bytes(data: bytes, draw: random.Random) -> bytes:
    start, end = _place(data, draw)
    return data[:start] + draw.randbytes(min(end - start, 10)) + data[end:]


def _bit(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]


def _less(data: bytes, draw: random.Random) -> bytes:
    start, end = _place(data, draw)
    return data[:start] + data[end:]


def _end(data: bytes, draw: random.Random) -> bytes:
    return data[: _place(data, draw)[0]]


def _twice(data: bytes, draw: random.Random) -> bytes:
    start, end = _place(data, draw)
    return data[:end] + data[start:]


def _cell(data: bytes, draw: random.Random) -> bytes:
    lines = [line.split(b"\t") for line in data.split(b"\n")]
    cells = draw.choice(lines)
    cells[draw.randrange(len(cells))] = draw.choice(CELLS)
    return b"\n".join(b"\t".join(line) for line in lines)


def _lines(change: Callable[[list[bytes], random.Random], Sequence[bytes]]) -> Change:
    def changed(data: bytes, draw: random.Random) -> bytes:
        return b"\n".join(change(data.split(b"\n"), draw))

    return changed


def _inserted(lines: list[bytes], draw: random.Random) -> list[bytes]:
    place = draw.randint(0, len(lines))
    return [*lines[:place], draw.choice([*LINES, draw.choice(lines)]), *lines[place:]]


def _swapped(lines: list[bytes], draw: random.Random) -> list[bytes]:
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return lines


CHANGES: list[Change] = [
    _bytes,
    _bit,
    _less,
    _end,
    _twice,
    _cell,
    _cell,
    _lines(_inserted),
    _lines(_swapped),
    lambda data, draw: data.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n"])),
    lambda data, draw: b"\xef\xbb\xbf" + data,
    lambda data, draw: data.replace(b"\t", draw.choice([b" ", b"\t\t"]), draw.randint(1, 3)),
]
