"""Lemmas that training has: an unknown form rather has one of them than another probable lemma."""

from collections import Counter
from collections.abc import Sequence

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.known_words import ContextWord
from udify_allennlp.data.training_lemmas import UNINFLECTED, TrainingLemmas
from udify_allennlp.text.casing import lower
from udify_allennlp.text.lemma_rules import WHOLE, apply_rule

MARGIN = 4.0
"""
How much lower than that of the best label the log-probability (nats) may be of a label whose lemma
is known. In development files of 38 languages this changes 822 labels: 676 lemmas are right then,
and 40 were before; with simplemma, which corrects most, 112 of 152, and 28.
"""
_MOST = 8
"""Maximum number of labels that are tried."""
_BETWEEN_MORPHEMES = "+"


class KnownLemmas:
    """
    The lemmas of `KnownWords`, by language and UPOS. That of an unknown form may be among them:
    Spanish `obtienen` has `obtener`, and not `obtiener`, the model's.

    # Parameters

    vocab : `Numbers`
    labels : `Sequence[str]`
        All lemma rules, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, labels: Sequence[str]) -> None:
        self._training = TrainingLemmas(vocab)
        self._labels = labels

    def doubtful(self, words: Sequence[ContextWord], best: Sequence[int]) -> list[int]:
        """
        Returns the places of unknown words whose most probable label makes a lemma that is neither
        the form itself nor known. Korean lemmas of several morphemes, as in `학교+에서`, are left
        out: nearly each is new.
        """
        return [
            place
            for place, (word, label) in enumerate(zip(words, best))
            if word.is_unknown and word.upos not in UNINFLECTED and self._is_doubtful(word, label)
        ]

    def choose(self, word: ContextWord, labels: numpy.ndarray, scores: numpy.ndarray) -> int:
        """
        Returns the most probable label of a word that makes a known lemma, if it is probable
        enough, else the most probable one; given the labels that it can get and their
        log-probabilities, `(n,)` each. Suppletive lemmas, and those less than half as long as the
        form, are those of other words.
        """
        order = numpy.argsort(-scores, kind="stable")[:_MOST]
        near = labels[order[scores[order] >= scores[order[0]] - MARGIN]].tolist()
        return next((label for label in near if self._is_known(word, label)), near[0])

    def _is_doubtful(self, word: ContextWord, label: int) -> bool:
        known = self._of(word)
        lemma = apply_rule(word.form, self._labels[label], word.lang)
        itself = lower(word.form, word.lang)
        is_new = bool(known) and lemma not in known and _BETWEEN_MORPHEMES not in lemma
        return is_new and lower(lemma, word.lang) != itself

    def _is_known(self, word: ContextWord, label: int) -> bool:
        rule = self._labels[label]
        if rule.startswith(WHOLE):
            return False
        lemma = apply_rule(word.form, rule, word.lang)
        return 2 * len(lemma) >= len(word.form) and lemma in self._of(word)

    def _of(self, word: ContextWord) -> Counter[str]:
        return self._training.of_upos(word.lang, word.upos)
