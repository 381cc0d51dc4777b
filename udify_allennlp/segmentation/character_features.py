"""The segmenter's features of each character: hashes of its surroundings, and its class."""

import unicodedata
from typing import NamedTuple

import numpy

KINDS = 7
"""
The kinds of features: the character, two pairs, three triples; the word between spaces, with either
neighbour.
"""
_CATEGORIES = (
    *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"),
)
_SPACE, _LINE_END, _UNSEEN = len(_CATEGORIES), len(_CATEGORIES) + 1, 255
_STATES = 3  # no dictionary knows it; inside a word of a dictionary; at the end of one
CLASSES = _STATES * (len(_CATEGORIES) + 2)
MARGIN = 56
"""Number of characters on either side that the features of one depend on."""
_MAX_WORD = 24
# Of each code point, filled as they are met: a table of all takes a second to make.
_classes = numpy.full(0x110000, _UNSEEN, dtype=numpy.uint8)
_lower = numpy.zeros(0x110000, dtype=numpy.uint32)
_PRIMES = numpy.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93],
    dtype=numpy.uint64,
)
_POWERS = _PRIMES[2] ** numpy.arange(_MAX_WORD + 1, dtype=numpy.uint64)  # modulo 2**64
_HALF = numpy.uint64(32)
_NONE = numpy.zeros(1, dtype=numpy.uint64)


class Features(NamedTuple):
    """The features of the characters of a text, or of a part of it."""

    hashes: numpy.ndarray
    """int64 `(characters, KINDS)`, of 32 bits; 0 where there is nothing."""
    classes: numpy.ndarray
    """int64 `(characters,)`: below `CLASSES`."""


def codes_of(text: str) -> numpy.ndarray:
    """Returns the code points, uint32 `(len(text),)`."""
    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=numpy.uint32)


def is_space(text: str) -> numpy.ndarray:
    """Returns which characters are white space by `str.isspace`, bool `(len(text),)`."""
    classes = _class_of(codes_of(text))
    return (classes == _SPACE) | (classes == _LINE_END)


def features(text: str, states: numpy.ndarray) -> Features:
    """
    Computes the features; hashes use lower-cased characters, apart from the first kind. A word of
    more than `_MAX_WORD` characters has no hash, and neighbouring words are one white space away,
    so the features of a character depend on `MARGIN` characters around it, for any length of text.

    # Parameters

    text : `str`
    states : `numpy.ndarray`
        See `dictionary_states`.
    """
    codes = codes_of(text)
    classes = _class_of(codes)
    lower = _lower[codes].astype(numpy.uint64)
    left = _shifted(lower, 1)
    right = _shifted(lower, -1)
    salts = numpy.arange(1, KINDS + 1, dtype=numpy.uint64) * _PRIMES[3]
    words = _words(lower, (classes == _SPACE) | (classes == _LINE_END) | (codes == 0))
    keys = [
        codes * _PRIMES[0],
        left * _PRIMES[1] + lower * _PRIMES[0],
        lower * _PRIMES[1] + right * _PRIMES[0],
        left * _PRIMES[1] + lower * _PRIMES[0] + right * _PRIMES[2],
        *words,
    ]
    hashes = numpy.empty((len(codes), KINDS), dtype=numpy.int64)
    for kind, key in enumerate(keys):
        hashes[:, kind] = mixed(key + salts[kind]) >> _HALF
        if kind >= KINDS - len(words):
            hashes[key == 0, kind] = 0
    return Features(hashes, classes.astype(numpy.int64) * _STATES + states)


def _words(lower: numpy.ndarray, is_gap: numpy.ndarray) -> list[numpy.ndarray]:
    """
    Returns for each character a number for its word, for it and the one before, and the one after.
    """
    edges = numpy.flatnonzero(numpy.diff(is_gap, prepend=True, append=True))
    starts, ends = edges[::2], edges[1::2]
    lengths = ends - starts
    inside = numpy.flatnonzero(~is_gap)
    places = inside - numpy.repeat(starts, lengths)
    powers = _POWERS[numpy.minimum(places, _MAX_WORD)]
    sums = numpy.concatenate([_NONE, numpy.cumsum(mixed(lower[inside]) * powers)])
    borders = numpy.concatenate([[0], numpy.cumsum(lengths)])
    words = numpy.where(lengths <= _MAX_WORD, sums[borders[1:]] - sums[borders[:-1]], _NONE)
    beside = (starts[1:] - ends[:-1] == 1) & (words[1:] > 0) & (words[:-1] > 0)
    pairs = numpy.where(beside, words[:-1] * _PRIMES[0] + words[1:] * _PRIMES[1], _NONE)
    spreads = []
    for numbers in (
        words,
        numpy.concatenate([_NONE, pairs])[: len(words)],
        numpy.concatenate([pairs, _NONE])[: len(words)],
    ):
        spread = numpy.zeros(len(lower), dtype=numpy.uint64)
        spread[inside] = numpy.repeat(numbers, lengths)
        spreads.append(spread)
    return spreads


def _shifted(codes: numpy.ndarray, by: int) -> numpy.ndarray:
    """Returns for each place the value `by` places before it; 0 beyond the ends."""
    shifted = numpy.zeros_like(codes)
    if by > 0:
        shifted[by:] = codes[:-by]
    else:
        shifted[:by] = codes[-by:]
    return shifted


def mixed(keys: numpy.ndarray) -> numpy.ndarray:
    """Returns keys with all bits mixed, so that similar keys become different ones."""
    keys = (keys ^ (keys >> _HALF)) * _PRIMES[1]
    return keys ^ (keys >> _HALF)


def _class_of(codes: numpy.ndarray) -> numpy.ndarray:
    classes = _classes[codes]
    if (classes == _UNSEEN).any():
        for code in numpy.unique(codes[classes == _UNSEEN]).tolist():
            character = chr(code)
            low = character.lower()
            _lower[code] = ord(low) if len(low) == 1 else code
            if character.isspace():
                _classes[code] = _LINE_END if character == "\n" else _SPACE
            else:
                _classes[code] = _CATEGORIES.index(unicodedata.category(character))
        classes = _classes[codes]
    return classes
