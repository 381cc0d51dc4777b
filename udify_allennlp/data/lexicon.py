"""The labels of each word form in the training data, as stored in the vocabulary."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional
from unicodedata import category

import numpy

from udify_allennlp.data.columns import LANG, UNLABELLED, UNSEEN, Numbers
from udify_allennlp.data.features_of_upos import without_features
from udify_allennlp.data.known_words import (
    EMPTY,
    NAMES,
    ContextWord,
    KnownWords,
    Word,
    word_in,
    word_in_any_case,
)
from udify_allennlp.data.syncretism import (
    COST,
    further_cases,
    further_features,
    with_other_cases,
)
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.lemma_rules import escape, unescape

CORRECTED = ("upos", "feats")
"""The tasks of which known words limit the labels; lemmas depend on UPOS (`lemma_lookup.py`)."""
_OPEN = frozenset(["ADJ", "NOUN", "VERB"])
"""
Parts of speech whose features say nothing of another one's. On development files, of 44 words that
are predicted to be another of these, 7 have features that training has, and 19 those predicted.
"""
RARER = 0.7
"""
By how much more probable (nats) a function word's UPOS must be than its most frequent one in the
treebank. Of 457 words in development files of 261 treebanks whose UPOS changes, 260 are right then,
and 158 were before; of 292 that are or become content words, 141 and 140.
"""
_FIRST_PICTOGRAPH = "\u2600"


def namespace(task: str) -> str:
    """
    Returns the vocabulary namespace of entries `form<tab>label`, with escaped white space in the
    form.
    """
    return f"{task}_lexicon_labels"


def namespace_by_language(task: str) -> str:
    """The same for entries `language<tab>form<tab>label`."""
    return f"{LANG}_{namespace(task)}"


def pair(form: str, label: str) -> str:
    """An entry of the vocabulary."""
    return f"{escape(form)}\t{label}"


def count(
    counts: dict[str, int],
    missing: Optional[str],
    forms: Sequence[str],
    labels: Sequence[str],
    lang: str = "",
) -> None:
    """
    Counts the labels of some words for the vocabulary, except `missing`, which marks missing
    annotation. With a language, for its namespace.
    """
    prefix = f"{lang}\t" if lang else ""
    for form, label in zip(forms, labels):
        if label not in (UNLABELLED, missing):
            counts[prefix + pair(form, label)] += 1


def is_pictograph(form: str) -> bool:
    """Returns whether a form consists of emoji and the like."""
    categories = {category(character) for character in form}
    return "So" in categories <= {"So", "Sk", "Cf", "Mn"} and form[0] >= _FIRST_PICTOGRAPH


class Others(NamedTuple):
    """The labels that a word can get if it lacks the most probable one."""

    labels: numpy.ndarray
    """Their numbers, ascending, int64 `(n,)`."""
    costs: numpy.ndarray
    """
    What is subtracted from their log-probabilities (nats), float32 `(n,)`: `COST` for those that
    training lacks, `RARER` for a function word's UPOS that is less frequent there than another.
    """
    is_rare: bool
    """True if the word is known from one occurrence."""


class Lexicon:
    """
    The labels of words in the training data: any other prediction for them is nearly always wrong.
    It is empty if the reader's `lexicon` does not name the task. If the vocabulary has it by
    language, forms of other languages do not count. If the vocabulary has `KnownWords`, those of
    the treebank come first or, if it is unknown, those of the language; a form that is not among
    them is looked up in small letters, and names only as they are. Words may be in another case
    than in training (`syncretism.py`). Pictographs that are not among them are symbols, as 470 of
    480 in training are. Verbs with pronouns in one token, and these pronouns, are of those parts of
    speech (`verb_clitics.py`), and so are forms of `ir` before a preposition (`ser_or_ir.py`).
    If the treebank is known, function words rather get the UPOS that they have there most often,
    and unknown words no features if it annotates none of their part of speech.

    # Parameters

    vocab : `Numbers`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, task: str, labels: Sequence[str]) -> None:
        self._vocab = vocab
        self._numbers = {label: number for number, label in enumerate(labels)}
        # By form, or by language and form; of each, the numbers of its labels.
        self._labels_of: dict[tuple[str, ...], tuple[int, ...]] = {}
        by_language = namespace_by_language(task)
        self.by_language = by_language in vocab.get_namespaces()
        """True if `excluded` takes languages."""
        chosen = by_language if self.by_language else namespace(task)
        for entry in vocab.get_token_to_index_vocabulary(chosen):
            *keys, label = entry.split("\t", 2 if self.by_language else 1)
            if label in self._numbers:  # the vocabulary of the task may leave some out
                key = tuple(map(unescape, keys))
                self._labels_of[key] = (*self._labels_of.get(key, ()), self._numbers[label])
        self._task = task
        self._known = KnownWords(vocab)
        self.by_treebank = bool(self._known) and task in CORRECTED
        """True if `excluded` takes treebanks and languages."""
        self._open = {self._numbers.get(upos) for upos in _OPEN} if task == "upos" else set()
        self._numbers_of = lru_cache(maxsize=2**12)(self._numbers_of_word)
        self._name = self._numbers.get(NAMES) if task == "upos" else None
        self._symbol = self._numbers.get("SYM") if task == "upos" else None
        self._empty = (self._numbers[EMPTY],) if EMPTY in self._numbers else ()

    def __len__(self) -> int:
        """Returns the number of forms that are not by treebank."""
        return len(self._labels_of)

    def __bool__(self) -> bool:
        return self.by_treebank or bool(self._labels_of)

    def others(self, words: Sequence[ContextWord], best: Sequence[int]) -> dict[int, Others]:
        """
        Returns by place, for words whose form lacks the most probable label, or has a more frequent
        UPOS, those it has.
        """
        found: dict[int, Others] = {}
        for place, (word, label) in enumerate(zip(words, best)):
            known, labels = self._labels(word, label)
            if word.allowed_upos:
                own = [self._numbers[upos] for upos in word.allowed_upos if upos in self._numbers]
                known, labels = None, tuple(each for each in own if each in labels) or tuple(own)
            first = None if label in self._open else self._first(word, known)
            if labels and (label not in labels or first not in (label, None)):
                found[place] = self._others(word, known, labels, further_cases)
        return found

    def agreeing(self, word: ContextWord) -> Optional[Others]:
        """
        Returns the labels that a word can get so that it agrees with others, `None` if its form is
        unknown.
        """
        known, labels = self._labels(word, UNSEEN)
        return self._others(word, known, labels, further_features) if labels else None

    def _first(self, word: ContextWord, known: Optional[Word]) -> Optional[int]:
        """
        Returns the number of a known word's most frequent UPOS; `None` for content words, and
        without a treebank: German `das` is rather an article in news, and a pronoun in speech.
        """
        if known is None or self._task != "upos" or not word.treebank:
            return None
        first = self._numbers.get(known.analyses[0].upos)
        return None if first in self._open else first

    def _labels(self, word: ContextWord, best: int) -> tuple[Optional[Word], tuple[int, ...]]:
        """
        Returns the known word of a form, if it is one, and the numbers of the form's labels, none
        if the lexicon lacks it.
        """
        form, lang, treebank, upos, *_ = word
        if self.by_treebank:
            words = self._known.of(treebank or lang)
            is_name = best == self._name if self._task == "upos" else upos == NAMES
            found = word_in(words, form) if is_name else word_in_any_case(words, form, lang)
            if found is not None:
                return found, self._numbers_of(found, _lang_of(word), upos)
            if self._task == "feats" and upos in without_features(self._known, treebank):
                return None, self._empty
            if self._symbol is not None and is_pictograph(form):
                return None, (self._symbol,)
        return None, self._labels_of.get((lang, form) if self.by_language else (form,), ())

    def _others(
        self,
        word: ContextWord,
        known: Optional[Word],
        labels: Collection[int],
        further_of: Callable[[Word, str, str], Iterable[str]],
    ) -> Others:
        """Adds, to the labels of features of a known word, further ones (`syncretism.py`)."""
        further: Iterable[int] = ()
        if known is not None and self._task == "feats":
            lang = _lang_of(word)
            found = further_of(known, lang, self._known.packed(lang))
            further = (self._numbers[feats] for feats in found if feats in self._numbers)
        both = sorted({*labels, *further})
        first = self._first(word, known)
        exempt = {*both} if first is None else {first, *self._open}
        costs = [COST if each not in labels else 0.0 if each in exempt else RARER for each in both]
        return Others(
            numpy.array(both, dtype=numpy.int64),
            numpy.array(costs, dtype=numpy.float32),
            known is not None and known.is_rare,
        )

    def _numbers_of_word(self, word: Word, lang: str, upos: str) -> tuple[int, ...]:
        """
        Returns the numbers of the labels that a word of a language has; none if it is not
        annotated, or if it is a noun, a verb or an adjective for another of these.
        """
        if self._task == "feats":
            known = word.values("upos")
            if upos not in known and {upos, *known} <= _OPEN:
                return ()
            values = with_other_cases(word, lang, self._known.packed(lang))
        else:
            values = word.values(self._task)
        return tuple(self._numbers[value] for value in values if value in self._numbers)


def _lang_of(word: ContextWord) -> str:
    return word.lang or treebank_language(word.treebank)
