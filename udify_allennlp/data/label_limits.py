"""The labels that a word form gets instead: by its lexicon, its ending, and its script."""

from collections.abc import Callable, Container, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Optional

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.endings import Endings, Gains
from udify_allennlp.data.everyday_words import everyday_words
from udify_allennlp.data.features_of_upos import FeaturesOfUpos
from udify_allennlp.data.inflections import upos_by_endings
from udify_allennlp.data.known_lemmas import KnownLemmas
from udify_allennlp.data.known_words import ContextWord, KnownWords
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.data.lexicon import Lexicon
from udify_allennlp.data.word_features import WordFeatures
from udify_allennlp.text.lemma_rules import WHOLE, added
from udify_allennlp.text.scripts import scripts_of
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.ser_or_ir import forms_of_ir
from udify_allennlp.text.verb_clitics import verbs_with_pronouns

MARGINS = {"upos": 4.0}
"""
By task, how much lower than that of the best label the log-probability (nats) of the known labels
of a word may be that is known from one occurrence; otherwise it is taken for another word. On
development files, 95 of 295 known UPOS beyond this margin are correct and 169 of the best ones; of
features, known ones are better beyond any.
"""
_NOUNS_AND_VERBS = frozenset(["NOUN", "VERB"])
"""
Of a noun for a verb, and the reverse, the margin is that of all words: French `danse` is a noun
wherever training has it. On development and test files, 21 of 96 known UPOS are correct then and 70
of the best.
"""
MISSING_LEMMA = WHOLE + "_"
"""The label of a lemma that is not annotated."""


def scripts_of_rule(rule: str) -> frozenset[str]:
    """Returns the scripts of the letters that a lemma rule inserts."""
    return scripts_of(added(rule)) if rule != MISSING_LEMMA else frozenset()


class LabelLimits:
    """
    The labels that a word form cannot get, by its `Lexicon` and its script, and those that it
    rather gets, by its `Endings` and by `KnownLemmas`.

    # Parameters

    vocab : `Numbers`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    scripts : `Optional[Callable[[str], frozenset[str]]]`
        Returns the scripts of which a word must have letters to get a label, if it has letters.
    """

    def __init__(
        self,
        vocab: Numbers,
        task: str,
        labels: Sequence[str],
        scripts: Optional[Callable[[str], frozenset[str]]] = None,
    ) -> None:
        self._labels = labels
        self._known = KnownWords(vocab)
        self.lexicon = Lexicon(vocab, task, labels)
        self._endings = Endings(vocab, task, labels)
        self._lemmas = KnownLemmas(vocab, labels) if task == "lemma" else None
        self._of_upos = FeaturesOfUpos(vocab, labels) if task == "feats" else None
        self._listed = WordFeatures(vocab, labels) if task == "feats" else None
        self._margin = MARGINS.get(task, numpy.inf)
        # Without known words an archive keeps its predictions.
        self._by_context = task == "upos" and self.lexicon.by_treebank
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
        unknown = self._endings.unknown(sentences, langs, treebanks)
        allowed: list[tuple[str, ...]] = [()] * len(langs)
        start = 0
        for sentence in sentences if self._by_context else ():
            lang = langs[start]
            found = chain(
                upos_by_endings(self._known, sentence, lang),
                verbs_with_pronouns(sentence, lang),
                forms_of_ir(sentence, lang),
            )
            for place, tags in found:
                allowed[start + place] = tags
            start += len(sentence)
        return list(map(ContextWord, forms, langs, treebanks, upos, unknown, allowed))

    def apply(self, best: numpy.ndarray, words: Sequence[ContextWord], scores: LabelScores) -> None:
        """
        Replaces the labels in `best`, `(words,)`, of unknown forms by those that are more probable
        with their ending or make a known lemma, those that words cannot get by the most probable
        ones that they can, if there are any, and features of another part of speech.
        """
        gains = self._endings.gains(words, best.tolist())
        for place, row in scores.rows(gains):
            labels = gains[place].labels
            own = scores.of(row, labels) + gains[place].gains
            if own.max() > scores.of(row, best[place : place + 1])[0]:
                best[place] = labels[own.argmax()]
        if self._lemmas is not None:
            for place, row in scores.rows(self._lemmas.doubtful(words, best.tolist())):
                labels, own = scores.possible(row)
                if len(labels):
                    own = _with_gains(labels, own, gains.get(place))
                    best[place] = self._lemmas.choose(words[place], labels, own)
        known = self.lexicon.others(words, best.tolist())
        for place, row in scores.rows(known):
            labels, costs, is_rare = known[place]
            own = scores.of(row, labels) - costs
            best_known = int(labels[own.argmax()])
            is_another = own.max() < row.max() - self._margin and (
                is_rare or self._may_be_another(words[place], best_known, scores.best(row))
            )
            # A form may have no label of its language, as its labels are those of all languages.
            if own.max() > -numpy.inf and not is_another:
                best[place] = best_known
        if self._of_upos is not None:
            fitting = self._of_upos.others(words, best.tolist())
            for place, row in scores.rows(fitting):
                labels, margin, _ = fitting[place]
                label, score = _best_of(labels, row, scores, gains.get(place))
                _, of_best = _best_of(best[place : place + 1], row, scores, gains.get(place))
                if score >= of_best - margin:
                    best[place] = label
        if self._listed is not None:
            listed = self._listed.others(words, best.tolist())
            for place, row in scores.rows(listed):
                label, score = _best_of(listed[place], row, scores, gains.get(place))
                if score > -numpy.inf:
                    best[place] = label
        foreign = self._foreign(words, best.tolist(), known) if self._has_scripts else {}
        for place, row in scores.rows(foreign):
            labels, own = scores.possible(row)
            own[self._labels_beyond(foreign[place])[labels]] = -numpy.inf
            if own.max() > -numpy.inf:
                best[place] = labels[own.argmax()]

    def likely(
        self, words: Sequence[ContextWord], scores: LabelScores, places: Sequence[int], count: int
    ) -> list[list[tuple[int, float]]]:
        """
        Returns for the words at some places the numbers of at most `count` labels that they can
        get, most probable first, and their log-probabilities with the gains of `apply`.
        """
        found = []
        for place, row in scores.rows(places):
            known = self.lexicon.agreeing(words[place])
            if known is not None:
                labels = known.labels
                own = scores.of(row, labels) - known.costs
            else:
                labels, own = scores.possible(row)
                best = int(labels[own.argmax()])
                gains = self._endings.gains([words[place]], [best])
                own = _with_gains(labels, own, gains.get(0))
            order = numpy.argsort(-own, kind="stable")[:count]
            if known is None and self._listed is not None:
                listed = self._listed.allowed(words[place], int(labels[order[0]]))
                fits = order if listed is None else order[numpy.isin(labels[order], listed)]
                order = fits if len(fits) else order
            pairs = zip(labels[order].tolist(), own[order].tolist())
            found.append([(label, score) for label, score in pairs if score > -numpy.inf])
        return found

    def _may_be_another(self, word: ContextWord, known: int, best: int) -> bool:
        """
        Returns whether a frequent form may be another word than those that training has, given the
        best one of its labels and the most probable of all.
        """
        labels = {self._labels[known], self._labels[best]}
        if not self._by_context or labels != _NOUNS_AND_VERBS:
            return False
        return word.form not in everyday_words(word.lang) and not word.allowed_upos

    def _foreign(
        self, words: Sequence[ContextWord], best: Sequence[int], settled: Container[int]
    ) -> dict[int, frozenset[str]]:
        """
        Returns by place, for words that are not `settled` and whose most probable label is in
        another script, their own scripts.
        """
        found: dict[int, frozenset[str]] = {}
        for place, (word, label) in enumerate(zip(words, best)):
            scripts = self._scripts(self._labels[label])
            if scripts and place not in settled:
                own = scripts_of(word.form)
                if own and not scripts <= own:
                    found[place] = own
        return found

    def _beyond(self, scripts: frozenset[str]) -> numpy.ndarray:
        """Returns a mask of the labels, `(labels,)`, that need another script than these."""
        return numpy.array([not self._scripts(label) <= scripts for label in self._labels])


def _best_of(
    labels: numpy.ndarray, row: numpy.ndarray, scores: LabelScores, gains: Optional[Gains]
) -> tuple[int, float]:
    """
    Returns the most probable of some labels of a word, `(n,)`, given its row of scores and the
    gains by its ending, and its log-probability with these.
    """
    own = _with_gains(labels, scores.of(row, labels), gains)
    place = int(own.argmax())
    return int(labels[place]), float(own[place])


def _with_gains(
    labels: numpy.ndarray, log_prob: numpy.ndarray, gains: Optional[Gains]
) -> numpy.ndarray:
    """
    Returns the log-probabilities of the labels that a word can get, with the gains by its ending,
    `(n,)` each.
    """
    if gains is None:
        return log_prob
    found = log_prob.copy()
    found[numpy.isin(labels, gains.labels)] += gains.gains[numpy.isin(gains.labels, labels)]
    return found
