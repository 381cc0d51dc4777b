"""The labels that words with the same ending have in the training data, for forms that it lacks."""

import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple
from unicodedata import category

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.known_words import (
    ORIGINS,
    ContextWord,
    KnownWords,
    Word,
    trained_words_of,
    word_in_any_case,
    words_of,
)
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.sentence import Sentence

WEIGHTS = {"upos": 0.5, "feats": 1.0, "lemma": 0.5}
"""
Weight of the log-probability of a label given the ending, by task; that of the model has 1. Chosen
on development files of 87 treebanks: with them, UPOS gain 0.2, features 0.6 and lemmas 0.4 points.
"""
LENGTH = 5
"""Maximum number of characters in an ending; the beginning of the word counts as one."""
_OF_LANGUAGE = 0.3
"""Weight of the words of a language if those of a treebank count 1."""
_SMOOTHING = 1.5
"""Weight of the next shorter ending, in words."""
_FLOOR = 1e-4
"""Probability of a label that no word has with any ending."""
FAMILIAR = 0.25
"""
Minimum share of known words in a sentence, of those that end in a letter. Below, it is hardly in
the language: models parse a language that they were not trained on as the nearest one.
"""
_FEWEST = 100
"""Minimum number of known words of a language; of fewer, the endings say little."""
_MOST = 100
"""Maximum number of words of an ending that are counted, evenly spaced in alphabetical order."""
_BEGINNING, _LAST = "^", chr(sys.maxunicode)


class Gains(NamedTuple):
    """The labels that are more probable than the best one, given the ending of a word."""

    labels: numpy.ndarray
    """Their numbers, `(n,)`."""
    gains: numpy.ndarray
    """Their weighted log-probabilities (nats) less that of the best label, `(n,)`, positive."""


class _Words:
    """
    Words of one language, found by their endings.

    # Parameters

    lang : `str`
    forms : `Sequence[str]`
        In the order of their reversed forms, which are not kept, as they would take much memory.
    words : `Mapping[str, Word]`
        Words by form.
    """

    def __init__(self, lang: str, forms: Sequence[str], words: Mapping[str, Word]) -> None:
        self._key = partial(_reversed, lang=lang)
        self._forms, self._words = forms, words
        # All tasks ask for the same.
        self.ending_in = lru_cache(maxsize=2**12)(self._ending_in)

    def _ending_in(self, ending: str) -> tuple[Word, ...]:
        """Returns at most `_MOST` words that end so, given from its last character to its first."""
        start = bisect_left(self._forms, ending, key=self._key)
        end = bisect_left(self._forms, ending + _LAST, lo=start, key=self._key)
        some = self._forms[start : end : 1 + (end - start) // _MOST]
        return tuple(self._words[form] for form in some)


class _Labels(NamedTuple):
    """A distribution over the labels of a task."""

    numbers: numpy.ndarray
    """Numbers of some labels, ascending, `(n,)`."""
    probabilities: numpy.ndarray
    """Their probabilities, `(n,)`."""
    other: float
    """Probability of each other label."""

    def of(self, label: int) -> float:
        """Returns the probability of a label."""
        place = int(self.numbers.searchsorted(label))
        is_other = place == len(self.numbers) or self.numbers[place] != label
        return self.other if is_other else float(self.probabilities[place])

    def smoothed(self, counts: Mapping[int, float], total: float) -> "_Labels":
        """Returns the distribution of counts with this sum, interpolated with this one."""
        both = total + _SMOOTHING
        counted = numpy.array(list(counts), numpy.int32)
        numbers = numpy.union1d(self.numbers, counted)
        other = self.other * _SMOOTHING / both
        found = numpy.full(len(numbers), other, numpy.float32)
        found[numbers.searchsorted(self.numbers)] = self.probabilities * (_SMOOTHING / both)
        found[numbers.searchsorted(counted)] += numpy.array(list(counts.values())) / both
        return _Labels(numbers, found, other)


_NO_LABELS = _Labels(numpy.zeros(0, numpy.int32), numpy.zeros(0, numpy.float32), _FLOOR)


class Endings:
    """
    The probability of a task's labels for each ending of `KnownWords`, to correct those of forms
    that are not among them. Each ending is smoothed by the next shorter one, and words that begin
    with a capital, or are all capitals, count apart, as in TnT (Brants 2000, sections 2.3 and 2.4).
    It differs from TnT: endings are half as long; it counts forms, once each, of any frequency; the
    weight of shorter endings is a constant number of words; a treebank's words count more than its
    language's; and probabilities are not divided by those of the labels, but add to a model's
    scores. Those of lemmas depend on UPOS, too. Empty, without any effect, if the vocabulary has no
    known words.

    # Parameters

    vocab : `Numbers`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, task: str, labels: Sequence[str]) -> None:
        self._known = KnownWords(vocab)
        self._weight = WEIGHTS.get(task, 0.0)
        self._value = "rule" if task == "lemma" else task
        # Features tell parts of speech apart anyway: with their UPOS they are no better.
        self._by_upos = task == "lemma"
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._words = lru_cache(maxsize=ORIGINS)(self._words_of)
        self._labels = lru_cache(maxsize=2**12)(self._labels_of)
        self._numbers_of = lru_cache(maxsize=2**12)(self._numbers_of_word)

    def __bool__(self) -> bool:
        return bool(self._known) and self._weight > 0

    def unknown(
        self, sentences: Sequence[Sentence], langs: Sequence[str], treebanks: Sequence[str]
    ) -> list[bool]:
        """
        Returns, for sentences of which each word has a language and a treebank, whether endings
        apply to a word: it is unknown and ends in a letter, and enough of the sentence is known.
        """
        if not self:
            return [False] * len(langs)
        found: list[bool] = []
        for sentence in sentences:
            lang, treebank = langs[len(found)], treebanks[len(found)]
            packed = self._known.packed(lang), self._known.packed(treebank)
            # All tasks ask for the same.
            found += _unknown(tuple(sentence.forms), lang, treebank, *packed)
        return found

    def gains(self, words: Sequence[ContextWord], best: Sequence[int]) -> dict[int, Gains]:
        """
        Returns, by place, for words with their most probable labels, the labels that their endings
        make more probable; only of unknown words.
        """
        found: dict[int, Gains] = {}
        for place, (word, label) in enumerate(zip(words, best)):
            if not word.is_unknown:
                continue
            form, lang, treebank, upos, *_ = word
            origin, ending = (lang, treebank, _case(form)), _reversed(form, lang)[:LENGTH]
            labels = self._labels(*origin, upos if self._by_upos else "", ending)
            if not len(labels.numbers):  # no word is known as this part of speech
                labels = self._labels(*origin, "", ending)
            own = labels.of(label)
            above = numpy.flatnonzero(labels.probabilities > own)
            if len(above):
                gains = self._weight * numpy.log(labels.probabilities[above] / own)
                found[place] = Gains(labels.numbers[above], gains)
        return found

    def _labels_of(self, lang: str, treebank: str, case: int, upos: str, ending: str) -> _Labels:
        shorter = _NO_LABELS
        if ending:
            shorter = self._labels(lang, treebank, case, upos, ending[:-1])
        counts: defaultdict[int, float] = defaultdict(float)
        total = 0.0
        for origin, weight in ((treebank, 1.0), (lang, _OF_LANGUAGE)):
            words = self._words(origin).get(case)
            for word in words.ending_in(ending) if words else ():
                own = self._numbers_of(word, upos)
                total += weight if own else 0.0
                for number in own:
                    counts[number] += weight / len(own)
        return shorter.smoothed(counts, total) if counts else shorter

    def _numbers_of_word(self, word: Word, upos: str) -> tuple[int, ...]:
        """
        Returns the numbers of the labels that a word has with a UPOS, `""` for any; none if it is
        not annotated.
        """
        values = word.values(self._value, upos)
        return tuple(self._numbers[value] for value in values if value in self._numbers)

    def _words_of(self, origin: str) -> Mapping[int, _Words]:
        packed = self._known.packed(origin)
        return _by_ending(origin, packed) if packed else {}


@lru_cache(maxsize=2**9)
def _unknown(
    forms: Sequence[str], lang: str, treebank: str, of_lang: str, of_treebank: str
) -> list[bool]:
    """
    Returns `Endings.unknown` of a sentence, from the texts of the entries of its language and its
    treebank.
    """
    both = {
        origin: words_of(origin, packed) if packed else {}
        for origin, packed in ((lang, of_lang), (treebank, of_treebank))
    }
    if all(len(own) < _FEWEST for own in both.values()):
        return [False] * len(forms)
    own = both[treebank or lang]
    end_in_letters = [_ends_in_letter(form) for form in forms]
    unknown = [
        ends and word_in_any_case(own, form, lang) is None
        for form, ends in zip(forms, end_in_letters)
    ]
    is_familiar = sum(unknown) <= (1 - FAMILIAR) * sum(end_in_letters)
    return unknown if is_familiar else [False] * len(forms)


@lru_cache(maxsize=ORIGINS)
def _by_ending(origin: str, packed: str) -> Mapping[int, _Words]:
    """
    Returns the words of the training data of a treebank or a language, from the text of its entry,
    by `_case`. Everyday words would tell little: their endings are irregular.
    """
    words, lang = trained_words_of(origin, packed), treebank_language(origin)
    forms: defaultdict[int, list[str]] = defaultdict(list)
    for form in sorted(words, key=partial(_reversed, lang=lang)):
        forms[_case(form)].append(form)
    return {case: _Words(lang, own, words) for case, own in forms.items()}


def _reversed(form: str, lang: str) -> str:
    return lower(form, lang)[::-1] + _BEGINNING


def _ends_in_letter(form: str) -> bool:
    """Returns whether it ends in a letter or, as Hindi's vowels are, in a mark of one."""
    return category(form[-1])[0] in "LM"


def _case(form: str) -> int:
    """Returns 2 for a word in capitals, 1 for one that begins with a capital, else 0."""
    if len(form) > 1 and form.isupper():
        return 2
    return int(form[:1].isupper())
