"""
Features that word lists give to forms that training lacks: German `Hose` is feminine, Polish
`mieszkać` imperfective. A model guesses them from the ending and the context of a word.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Optional

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.features_of_upos import features_of
from udify_allennlp.data.known_words import ContextWord, KnownWords, word_in_any_case
from udify_allennlp.data.language_sections import lines_of_language
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower

FILE = Path(__file__).with_name("word_features.txt")
"""
Sections `[language]` of lines `UPOS features features ...: form form ...`, lower-cased: each of the
features is a part of one analysis of the forms. `benchmarks/word_features.py` writes it; it is
shared under the terms in `word_features_licences.txt`.
"""

Readings = tuple[str, ...]
"""The features of the analyses of a form, of each a part."""


@lru_cache(maxsize=16)
def word_features(lang: str) -> Mapping[tuple[str, str], Readings]:
    """Returns the readings of a language by form, in small letters, and UPOS."""
    found: dict[tuple[str, str], Readings] = {}
    for line in lines_of_language(FILE, lang):
        analyses, forms = line.split(": ")
        upos, *readings = analyses.split(" ")
        found.update({(form, upos): tuple(readings) for form in forms.split(" ")})
    return found


class WordFeatures:
    """
    The features that a form may have by `word_features`, if neither its treebank nor, without one,
    its language in training has features of the form. Word lists call auxiliaries verbs. Without
    `KnownWords` all forms may have all features.

    # Parameters

    vocab : `Numbers`
    labels : `Sequence[str]`
        All features, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, labels: Sequence[str]) -> None:
        self._known = KnownWords(vocab)
        self._labels = labels
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._fitting = lru_cache(maxsize=2**12)(self._numbers_of)
        self._entries = lru_cache(maxsize=2**12)(misc_column.entries)

    def others(self, words: Sequence[ContextWord], best: Sequence[int]) -> dict[int, numpy.ndarray]:
        """
        Returns by place, for words whose most probable label agrees with none of their readings,
        the numbers of those that do, ascending, `(n,)`. They have the features of a reading that
        the label has or, if it is empty and no treebank is named, all.
        """
        found: dict[int, numpy.ndarray] = {}
        for place, (word, number) in enumerate(zip(words, best)):
            labels = self.allowed(word, number)
            if labels is None:
                continue
            label = self._labels[number]
            if not self._fits(label, self._readings(word), self._entries(label)):
                found[place] = labels
        return found

    def allowed(self, word: ContextWord, best: int) -> Optional[numpy.ndarray]:
        """
        Returns the numbers of the labels that a word may have if its most probable one is `best`,
        ascending, `(n,)`; `None` if it may have all.
        """
        readings = self._readings(word)
        if not readings:
            return None
        features = frozenset(self._entries(self._labels[best]))
        if not features and word.treebank:  # infinitives of German-PUD have none
            return None
        labels = self._fitting(word.treebank or word.lang, word.upos, readings, features)
        return labels if len(labels) else None

    def _readings(self, word: ContextWord) -> Readings:
        form, lang, treebank, upos, *_ = word
        words = self._known.of(treebank or lang)
        if not words:
            return ()
        tag = "VERB" if upos == "AUX" else upos
        readings = word_features(lang).get((lower(form, lang), tag), ())
        known = word_in_any_case(words, form, lang) if readings else None
        return () if known is not None and known.values("feats") else readings

    def _fits(self, label: str, readings: Readings, features: Collection[str]) -> bool:
        """
        Returns whether a label has the values that one of the readings has of some features, of all
        if these are none, and no other values of the rest.
        """
        own = self._entries(label)
        return any(
            all(
                own.get(name) == value
                for name, value in reading.items()
                if name in (features or reading) or name in own
            )
            for reading in map(self._entries, readings)
        )

    def _numbers_of(
        self, origin: str, upos: str, readings: Readings, features: frozenset[str]
    ) -> numpy.ndarray:
        found = [
            self._numbers[label]
            for label in features_of(self._known, origin).get(upos, ())
            if label in self._numbers and self._fits(label, readings, features)
        ]
        return numpy.array(sorted(found), dtype=numpy.int64)
