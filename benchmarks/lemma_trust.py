"""The agreement of a source of lemmas with training data, by part of speech."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)

from udify_allennlp.data.known_words import NAMES
from udify_allennlp.data.lemma_lookup import ENDING
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.sentence import Sentence

RIGHT = 0.95
"""The minimum share of correct lemmas of a trusted source,"""
LEAST = 20
"""over at least this many words."""
SHARES = (0.0, 0.002, 0.005, 0.01)
"""Minimum numbers of lemmas of a UPOS that must share an ending."""
_NOT_ASKED = (NAMES, "PUNCT", "SYM", "X", "_")

Source = Callable[[str, str], Optional[str]]
"""A function from a form and its UPOS to a lemma."""


class Trained:
    """The training data of a language: the lemmas of its words, except names."""

    def __init__(self) -> None:
        self.lemmas: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """Lemmas by form and UPOS."""
        self.forms: defaultdict[str, set[str]] = defaultdict(set)
        """Lemmas by form in lower case, for all parts of speech."""
        self.counts: Counter[str] = Counter()
        """Number of words with a lemma."""

    def add(self, sentence: Sentence, lang: str) -> None:
        for form, upos, lemma in zip(sentence.forms, sentence.upos, sentence.lemmas):
            if upos not in _NOT_ASKED and lemma != "_":
                self.lemmas[form, upos].add(lemma)
                self.forms[lower(form, lang)].add(lemma)
                self.counts[lemma] += 1


class Trust(NamedTuple):
    """
    The accuracy of a source on training words that it contains and whose lemma, in the source, has
    one of these endings.
    """

    upos: str
    found: int
    right: int
    endings: Collection[str] = ()

    @property
    def is_enough(self) -> bool:
        return self.found >= LEAST and self.right >= RIGHT * self.found


def trained(files: Sequence[str]) -> dict[str, Trained]:
    """Returns the training data of each language."""
    found: defaultdict[str, Trained] = defaultdict(Trained)
    for path in expand_paths(files):
        lang = treebank_language(treebank_name(path))
        for sentence in read_sentences(path):
            found[lang].add(sentence, lang)
    return dict(found)


def answers(source: Source, own: Trained) -> dict[str, list[tuple[str, bool]]]:
    """
    Returns by UPOS the lemmas that a source gives to training words, and whether they are correct.
    """
    found: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for (form, upos), lemmas in sorted(own.lemmas.items()):
        lemma = source(form, upos) if form.isalpha() else None
        if lemma:
            found[upos].append((lemma, lemma in lemmas))
    return dict(found)


def trust(source: Source, own: Trained) -> list[Trust]:
    """
    Returns the trust in a source that distinguishes parts of speech, for each UPOS with a word.
    """
    return [
        Trust(upos, len(given), sum(right for _, right in given))
        for upos, given in answers(source, own).items()
    ]


def trust_by_endings(source: Source, own: Trained) -> list[Trust]:
    """
    Returns the trust in a source without parts of speech: by the lowest of `SHARES` that suffices,
    or the last.
    """
    return [
        next((each for each in tries if each.is_enough), tries[-1])
        for upos, given in answers(source, own).items()
        for tries in [[_with_endings(upos, given, own, share) for share in SHARES]]
    ]


def _with_endings(upos: str, given: list[tuple[str, bool]], own: Trained, share: float) -> Trust:
    lemmas = {lemma for (_, each), some in own.lemmas.items() if each == upos for lemma in some}
    counts = Counter(lemma[-ENDING:] for lemma in lemmas)
    least = max(2, share * len(lemmas))
    endings = [ending for ending, count in counts.items() if count >= least]
    chosen = [right for lemma, right in given if counts[lemma[-ENDING:]] >= least]
    return Trust(upos, len(chosen), sum(chosen), endings)
