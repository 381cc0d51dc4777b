"""
Ends of words by the characters around them, for languages without spaces between words: linear
weights beside the logits of a network that has seen few sentences.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy

from udify_allennlp.segmentation.character_features import codes_of, mixed
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN
from udify_allennlp.text import japanese
from udify_allennlp.text.unspaced import RUN

FILE = Path(__file__).with_name("character_ngrams.npz")
"""
The weights of all features of each language, int8 `(2**BITS,)`, in units of `UNIT`.
`benchmarks/character_ngrams.py` writes it.
"""
TREEBANKS = {japanese.LANGUAGE: japanese.TREEBANK, "th": "th_tud", "zh": "zh_gsd"}
"""
The languages in the file, each with the treebank that shows that a segmenter cuts words like it.
"""
BITS = 20
UNIT = 0.125
BEFORE, AFTER = 3, 3
"""The numbers of characters on either side of a word's end that features depend on."""
_AROUND = BEFORE + AFTER
# The first of the characters around an end, and how many: all n-grams up to four, and by classes.
_NGRAMS = [(first, size) for size in (1, 2, 3, 4) for first in range(_AROUND - size + 1)]
_OF_CLASSES = [(0, 6), (1, 4), (2, 2)]
# The first code points of digits, letters, Thai, hiragana, katakana, Han and of what is between.
_FIRST = (0, 0x30, 0x3A, 0xE00, 0xF00, 0x3040, 0x30A0, 0x3100, 0x3400, 0xA000)
_CLASSES = numpy.array(_FIRST, dtype=numpy.uint32)
_FACTOR = numpy.uint64(0x9E3779B97F4A7C15)


def places_inside(
    text: str, start: int, stop: int, is_meant: Callable[[int], bool] = lambda place: True
) -> numpy.ndarray:
    """
    Returns the places in a part of a text where a word may end within a run of such characters,
    those of the characters before, int64 `(n,)`.

    # Parameters

    is_meant : `Callable[[int], bool]`
        Whether the run that begins at a place counts.
    """
    runs = (match.span() for match in RUN.finditer(text, start, min(stop + 1, len(text))))
    parts = [numpy.arange(first, last - 1) for first, last in runs if is_meant(first)]
    return numpy.concatenate(parts) if parts else numpy.zeros(0, dtype=numpy.int64)


def features_of(text: str, places: numpy.ndarray) -> numpy.ndarray:
    """
    Returns the features of a word's end after some characters, as numbers below `2**BITS`, int64
    `(len(places), features)`: the n-grams of the characters around it and of their classes, each
    with its distance from the end (Neubig et al. 2011), and one that all ends have. Numbers are
    hashes, so that n-grams need not be stored; different ones may share a number.
    """
    codes = numpy.pad(codes_of(text), (BEFORE, AFTER)).astype(numpy.uint64)
    classes = numpy.searchsorted(_CLASSES, codes, side="right").astype(numpy.uint64)
    keys = [numpy.zeros(len(places), dtype=numpy.uint64)]
    for values, windows in ((codes, _NGRAMS), (classes, _OF_CLASSES)):
        around = [values[places + BEFORE - 2 + step] for step in range(_AROUND)]
        for first, size in windows:
            key = numpy.full(len(places), len(keys), dtype=numpy.uint64)
            for value in around[first : first + size]:
                key = mixed(key * _FACTOR + value)
            keys.append(key)
    return (numpy.stack(keys, 1) >> numpy.uint64(64 - BITS)).astype(numpy.int64)


def end_unspaced(
    labels: numpy.ndarray,
    of_end: numpy.ndarray,
    text: str,
    start: int,
    lang: str,
    lang_of: Callable[[int], str],
) -> None:
    """
    Ends, in place, the tokens within runs of such characters in a language where the sum of the
    network's logit and the features' weights is positive, and where a sentence ends.

    # Parameters

    of_end : `numpy.ndarray`
        The logit of the end of a token after each character, `(len(labels),)`.
    labels, text, start, lang, lang_of :
        As for `join_abbreviations`.
    """
    stop = start + len(labels)
    places = places_inside(text, start, stop, lambda place: lang_of(place) == lang)
    if not len(places):
        return
    first = max(0, start - BEFORE)
    features = features_of(text[first : stop + AFTER], places - first)
    own = places - start
    is_end = of_end[own] + UNIT * _weights(lang)[features].sum(1) > 0
    is_end |= (labels[own] & SENTENCE) > 0
    labels[own] &= ~numpy.uint8(TOKEN)
    labels[own] |= TOKEN * is_end.astype(numpy.uint8)


@lru_cache
def _weights(lang: str) -> numpy.ndarray:
    with numpy.load(FILE) as languages:
        weights: numpy.ndarray = languages[lang]
    return weights
