"""The features that words have as a part of speech: a pronoun does not get those of an article."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.inflections import has_inflections
from udify_allennlp.data.known_words import (
    EMPTY,
    NAMES,
    NOT_ANNOTATED,
    ORIGINS,
    ContextWord,
    KnownWords,
    Word,
    trained_words_of,
    treebanks_of,
    word_in,
    word_in_any_case,
)
from udify_allennlp.data.syncretism import further_cases, with_other_cases
from udify_allennlp.text.conllu import treebank_language

KNOWN_MARGIN, MARGIN = 2.0, 1.5
"""
How much lower than that of the best features the log-probability (nats) of the best ones of the
predicted part of speech may be, for known words and for others: beyond, the part of speech is
likely to be wrong, and not the features.
"""
FEWEST = 20
"""Minimum number of known words of a part of speech; of fewer, features are missing."""
_SHARE, _FEWEST_RARE = 0.8, 5
"""
Minimum share of the words without features among those that occur once, and number of the latter,
by which unknown words have none. Of 944 such words in development files of 263 treebanks 874 have
none, and 541 of a model's features were right, which had learned none of the missing ones.
"""


class Fitting(NamedTuple):
    """The features that fit the predicted part of speech of a word."""

    labels: numpy.ndarray
    """Their numbers, ascending, `(n,)`."""
    margin: float
    """The margin within which the best one of them takes the place of the most probable label."""
    further: Collection[int] = ()
    """The numbers of those that the word may have as well (`further_cases`)."""


class FeaturesOfUpos:
    """
    The features that known words have with their predicted part of speech and, for other words,
    those that its treebank or its language has with it. Without `KnownWords` there are none.

    # Parameters

    vocab : `Numbers`
    labels : `Sequence[str]`
        All features, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, labels: Sequence[str]) -> None:
        self._known = KnownWords(vocab)
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._of_word = lru_cache(maxsize=2**12)(self._fitting_of_word)
        self._of_upos = lru_cache(maxsize=2**9)(self._numbers_of_upos)

    def others(self, words: Sequence[ContextWord], best: Sequence[int]) -> dict[int, Fitting]:
        """Returns those by place, for words whose most probable label is not among them."""
        found: dict[int, Fitting] = {}
        for place, (word, label) in enumerate(zip(words, best)):
            fitting = self._fitting(word)
            if fitting is not None and not (label in fitting.labels or label in fitting.further):
                found[place] = fitting
        return found

    def _fitting(self, word: ContextWord) -> Optional[Fitting]:
        form, lang, treebank, upos, *_ = word
        origin = treebank or lang
        words = self._known.of(origin)
        known = word_in(words, form) if upos == NAMES else word_in_any_case(words, form, lang)
        if known is None or upos not in known.values("upos"):
            fitting = Fitting(self._of_upos(origin, upos), MARGIN)
        else:
            fitting = self._of_word(known, origin, upos)
        return fitting if len(fitting.labels) else None

    def _fitting_of_word(self, word: Word, origin: str, upos: str) -> Fitting:
        own = word._replace(analyses=tuple(each for each in word.analyses if each.upos == upos))
        if any(each.feats == NOT_ANNOTATED for each in own.analyses):
            return Fitting(self._numbers_in(()), KNOWN_MARGIN)
        lang = treebank_language(origin)
        packed = self._known.packed(lang)
        labels, further = with_other_cases(own, lang, packed), further_cases(own, lang, packed)
        return Fitting(self._numbers_in(labels), KNOWN_MARGIN, self._numbers_in(further).tolist())

    def _numbers_of_upos(self, origin: str, upos: str) -> numpy.ndarray:
        return self._numbers_in(features_of(self._known, origin).get(upos, ()))

    def _numbers_in(self, labels: Iterable[str]) -> numpy.ndarray:
        found = (self._numbers[label] for label in labels if label in self._numbers)
        return numpy.array(sorted(found), dtype=numpy.int64)


def features_of(known: KnownWords, origin: str) -> Mapping[str, set[str]]:
    """
    Returns the features of each part of speech among the words of a treebank or a language, of
    those that have `FEWEST` words. They may also have none in a language in which a treebank
    annotates them poorly. Of a language with `inflections.py`, training has too few words to tell.
    """
    packed = known.packed(origin)
    if not packed or has_inflections(treebank_language(origin)):
        return {}
    return _features_of(origin, packed)


@lru_cache(maxsize=ORIGINS)
def _features_of(origin: str, packed: str) -> Mapping[str, set[str]]:
    # Forms with the same annotations share them.
    words = trained_words_of(origin, packed).values()
    distinct = {id(word): word for word in words}
    counts: Counter[str] = Counter()
    found: defaultdict[str, set[str]] = defaultdict(set)
    for number, count in Counter(map(id, words)).items():
        for upos, feats, _ in distinct[number].analyses:
            counts[upos] += count
            found[upos].add(EMPTY if feats == NOT_ANNOTATED else feats)
    return {upos: feats for upos, feats in found.items() if counts[upos] >= FEWEST}


def without_features(known: KnownWords, treebank: str) -> frozenset[str]:
    """
    Returns the parts of speech of which unknown words of a treebank have no features: it annotates
    them poorly, and nearly all of their words that occur once there have none.
    """
    packed = known.packed(treebank)
    return _without_features(treebank, packed) if packed else frozenset()


@lru_cache(maxsize=ORIGINS)
def _without_features(treebank: str, packed: str) -> frozenset[str]:
    own = next((each for each in treebanks_of(packed) if each.name == treebank and each.poor), None)
    if own is None:
        return frozenset()
    rare = (each for word in own.words.values() if word.is_rare for each in word.analyses)
    counts = Counter((each.upos, each.feats == EMPTY) for each in rare if each.upos in own.poor)
    total = {upos: counts[upos, True] + counts[upos, False] for upos in own.poor}
    return frozenset(
        upos
        for upos, count in total.items()
        if count >= _FEWEST_RARE and counts[upos, True] >= _SHARE * count
    )
