"""The labels that a word form gets instead: by its lexicon, its ending, and its script."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Optional

import numpy

from udify_allennlp.data.columns import UNSEEN, Numbers
from udify_allennlp.data.endings import Endings, Gains
from udify_allennlp.data.known_words import ContextWord
from udify_allennlp.data.lexicon import Lexicon
from udify_allennlp.text.lemma_rules import WHOLE, added
from udify_allennlp.text.scripts import scripts_of
from udify_allennlp.text.sentence import Sentence

MARGINS = {"upos": 4.0}
"""
By task, how much lower than that of the best label the log-probability (nats) of the known labels
of a word may be that is known from one occurrence; otherwise it is taken for another word. On
development files, 95 of 295 known UPOS beyond this margin are correct and 169 of the best ones; of
features, known ones are better beyond any.
"""
MISSING_LEMMA = WHOLE + "_"
"""The label of a lemma that is not annotated."""


def scripts_of_rule(rule: str) -> frozenset[str]:
    """Returns the scripts of the letters that a lemma rule inserts."""
    return scripts_of(added(rule)) if rule != MISSING_LEMMA else frozenset()


class LabelLimits:
    """
    The labels that a word form cannot get, by its `Lexicon` and its script, and those that it
    rather gets, by its `Endings`.

    # Parameters

    vocab : `Numbers`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    at_once : `int`
        Number of words of which all labels are scored together.
    scripts : `Optional[Callable[[str], frozenset[str]]]`
        Returns the scripts of which a word must have letters to get a label, if it has letters.
    """

    def __init__(
        self,
        vocab: Numbers,
        task: str,
        labels: Sequence[str],
        at_once: int,
        scripts: Optional[Callable[[str], frozenset[str]]] = None,
    ) -> None:
        self._labels, self._at_once = labels, at_once
        self.lexicon = Lexicon(vocab, task, labels)
        self._endings = Endings(vocab, task, labels)
        self._margin = MARGINS.get(task, numpy.inf)
        self._has_scripts = scripts is not None
        # Asked of the labels that are predicted: of all of them it would take a tenth of a second.
        self._scripts = cache(scripts or (lambda label: frozenset()))
        self._labels_beyond = lru_cache(maxsize=64)(self._beyond)

    @property
    def by_treebank(self) -> bool:
        """True if `apply` takes treebanks and languages."""
        return self.lexicon.by_treebank or bool(self._endings)

    def words(
        self, sentences: Sequence[Sentence], langs: Sequence[str], treebanks: Sequence[str]
    ) -> list[ContextWord]:
        """
        Returns the words of sentences, given the language and the treebank of each word, `""` if
        they are unknown.
        """
        forms = (form for sentence in sentences for form in sentence.forms)
        upos = (tag for sentence in sentences for tag in sentence.upos)
        familiar = self._endings.are_familiar(sentences, langs, treebanks)
        return list(map(ContextWord, forms, langs, treebanks, upos, familiar))

    def apply(
        self,
        best: numpy.ndarray,
        words: Sequence[ContextWord],
        log_prob: Callable[[numpy.ndarray], numpy.ndarray],
    ) -> None:
        """
        Replaces the labels in `best`, `(words,)`, of unknown forms by those that are more probable
        with their ending, and those that words cannot get by the most probable ones that they can,
        if there are any. `log_prob` returns the log-probabilities of all labels, `(n, labels)`, for
        the positions of some words, `(n,)`.
        """
        self._prefer(best, self._endings.gains(words, best.tolist()), log_prob)
        places, *limits = self._excluded(words, best.tolist())
        for part, of_all in self._scored(places, log_prob):
            scores = self._limited(of_all, *(limit[part] for limit in limits))
            # A form may have no label of its language, as its labels are those of all languages.
            none = scores.max(1) == -numpy.inf
            best[places[part]] = numpy.where(none, best[places[part]], scores.argmax(1))

    def likely(
        self,
        words: Sequence[ContextWord],
        log_prob: Callable[[numpy.ndarray], numpy.ndarray],
        places: numpy.ndarray,
        count: int,
    ) -> list[list[tuple[int, float]]]:
        """
        Returns for some words the numbers of at most `count` labels that they can get, most
        probable first, and their log-probabilities with the gains of `apply`. Other parameters as
        for `apply`.
        """
        found = []
        for part, own in self._scored(places, log_prob):
            some = [words[place] for place in places[part].tolist()]
            for row, gains in self._endings.gains(some, own.argmax(1).tolist()).items():
                own[row, gains.labels] += gains.gains
            known, excluded, _ = self.lexicon.excluded(some, [UNSEEN] * len(some))
            own[known] = numpy.where(excluded, -numpy.inf, own[known])
            for scores in own:
                # A language has few of all labels.
                labels = numpy.flatnonzero(scores > -numpy.inf)
                labels = labels[numpy.argsort(-scores[labels], kind="stable")[:count]]
                found.append(list(zip(labels.tolist(), scores[labels].tolist())))
        return found

    def _prefer(
        self,
        best: numpy.ndarray,
        gains: Mapping[int, Gains],
        log_prob: Callable[[numpy.ndarray], numpy.ndarray],
    ) -> None:
        """Replaces the labels in `best` by those that are more probable with their gains."""
        places = numpy.array(list(gains), dtype=numpy.int64)
        for part, of_all in self._scored(places, log_prob):
            for place, scores in zip(places[part].tolist(), of_all):
                own = scores[gains[place].labels] + gains[place].gains
                if own.max() > scores[best[place]]:
                    best[place] = gains[place].labels[own.argmax()]

    def _scored(
        self, places: numpy.ndarray, log_prob: Callable[[numpy.ndarray], numpy.ndarray]
    ) -> Iterator[tuple[slice, numpy.ndarray]]:
        """Yields parts of some places, with the log-probabilities of all labels there."""
        for start in range(0, len(places), self._at_once):
            part = slice(start, start + self._at_once)
            yield part, log_prob(places[part])

    def _excluded(
        self, words: Sequence[ContextWord], best: Sequence[int]
    ) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """
        Returns, for words with their most probable labels: the positions of words that cannot get
        this label, a mask of all labels that they cannot get, `(positions, labels)`, and whether
        they get others only within the margin, `(positions,)`.
        """
        places, excluded, are_rare = self.lexicon.excluded(words, best)
        if self._has_scripts:
            others, foreign = self._foreign(words, best, set(places.tolist()))
            places, excluded = numpy.append(places, others), numpy.append(excluded, foreign, 0)
            are_rare = numpy.append(are_rare, numpy.zeros(len(others), bool))
        return places, excluded, are_rare

    def _limited(
        self, log_prob: numpy.ndarray, excluded: numpy.ndarray, are_rare: numpy.ndarray
    ) -> numpy.ndarray:
        """
        Returns log-probabilities of words, `(words, labels)`, with -inf for labels that they cannot
        get; unchanged for rare words none of whose other labels is within the margin of the task.
        """
        scores = numpy.where(excluded, -numpy.inf, log_prob)
        beyond = are_rare & (scores.max(1) < log_prob.max(1) - self._margin)
        scores[beyond] = log_prob[beyond]
        return scores

    def _foreign(
        self, words: Sequence[ContextWord], best: Sequence[int], settled: Container[int]
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns the positions of words, except those `settled`, whose most probable label is in
        another script, and a mask of such labels, `(positions, labels)`.
        """
        forms = [word.form for word in words]
        places = [
            place
            for place, (form, label) in enumerate(zip(forms, best))
            if place not in settled and self._scripts(self._labels[label])
            if scripts_of(form) and not self._scripts(self._labels[label]) <= scripts_of(form)
        ]
        foreign = numpy.zeros((len(places), len(self._labels)), dtype=bool)
        for row, place in enumerate(places):
            foreign[row] = self._labels_beyond(scripts_of(forms[place]))
        return numpy.array(places, dtype=numpy.int64), foreign

    def _beyond(self, scripts: frozenset[str]) -> numpy.ndarray:
        """Returns a mask of the labels, `(labels,)`, that need another script than these."""
        return numpy.array([not self._scripts(label) <= scripts for label in self._labels])
