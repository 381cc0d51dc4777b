"""
Deprels by the features and the forms of words: a German noun in the accusative is seldom a subject,
and a dependent of "is" seldom an object. A network scores deprels without knowing the features that
it predicts, and learns little of words that it rarely sees.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.language_sections import lines_of_language
from udify_allennlp.data.packed_entries import damaged, packed_entry, packed_text, unpacked
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower
from udify_allennlp.text.sentence import Sentence

FILE = Path(__file__).with_name("deprel_odds.txt")
"""
Sections `[language]` or `[treebank]` of lines
`dependent head mark of_head<tab>other deprel rank deprel ...`: the UPOS of both words and a feature
of each. Then follow the logarithms of how many times as probable each deprel is as between such
UPOS in general, first that of all others; in steps of `STEP` nats.
It is made by `benchmarks/deprel_odds.py` from training treebanks.
"""
DEPREL_WORDS = "deprel_words_labels"
"""
Namespace of the vocabulary: entries `language<tab>text` or, of a treebank that is annotated unlike
the others of its language, `treebank<tab>text`, the text compressed and in base 64. Its lines are
like those of `FILE`, of a form instead of the features: `dependent head form *` of a dependent,
`dependent head * form` of a head, in lower case.
"""
STEP = 0.5
WEIGHT, OF_WORDS = 0.7, 1.0
"""
Weights of the log-odds by features and of those by forms, in nats; the log-probabilities of the
model have 1. Chosen on 80 and 60 development sentences of each of 175 treebanks.
"""
NONE = "-"
_OF_DEPENDENT, _OF_HEAD = ("Case", "VerbForm", "PronType", "NumType"), ("Voice", "VerbForm")
"""The features of a word of which the first that it has counts."""


class ArcWord(NamedTuple):
    """A word of an arc."""

    upos: str
    mark: str
    """Its feature as a dependent."""
    of_head: str
    """Its feature as a head."""
    form: str
    """In lower case."""


def arc_words(sentence: Sentence, lang: str) -> list[ArcWord]:
    """Returns the words of a sentence with UPOS and features."""
    return [
        ArcWord(upos, _first(feats, _OF_DEPENDENT), _first(feats, _OF_HEAD), lower(form, lang))
        for upos, feats, form in zip(sentence.upos, sentence.feats, sentence.forms)
    ]


def kinds(dependent: ArcWord, head: ArcWord) -> tuple[str, str, str]:
    """Returns how an arc is named in lines: by features, by the dependent and by the head."""
    upos = f"{dependent.upos} {head.upos}"
    return (
        f"{upos} {dependent.mark} {head.of_head}",
        f"{upos} {dependent.form} *",
        f"{upos} * {head.form}",
    )


def word_deprels_entry(origin: str, lines: Iterable[str]) -> str:
    """Returns the entry of a language or a treebank in `DEPREL_WORDS`."""
    return packed_entry(origin, "\n".join(lines))


class DeprelOdds:
    """
    The weighted log-odds of deprels in a language or a treebank.

    # Parameters

    vocab : `Numbers`
    origin : `str`
    labels : `Sequence[str]`
        All deprels, in the order of their numbers.

    # Raises

    `InputError` if the entry in the vocabulary is damaged.
    """

    def __init__(self, vocab: Numbers, origin: str, labels: Sequence[str]) -> None:
        self._origin, self._count = origin, len(labels)
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._lines: dict[str, tuple[str, float]] = {}
        packed = packed_text(vocab, DEPREL_WORDS, origin)
        try:
            of_words = unpacked(packed).split("\n") if packed else []
            for lines, weight in (
                (lines_of_language(FILE, origin), WEIGHT),
                (of_words, OF_WORDS),
            ):
                for line in lines:
                    kind, ranks = line.split("\t")
                    self._lines[kind] = ranks, weight * STEP
        except (ValueError, OverflowError, OSError) as error:
            raise damaged("deprels", DEPREL_WORDS, origin, error) from None
        self._cached = lru_cache(maxsize=2**10)(self._odds)

    def of(self, kind: str) -> Optional[numpy.ndarray]:
        """
        Returns those of one of the `kinds` of arcs, float32 `(labels,)`; `None` if it is not
        counted.

        # Raises

        `InputError` if its line is damaged.
        """
        return self._cached(kind) if kind in self._lines else None

    def _odds(self, kind: str) -> numpy.ndarray:
        text, step = self._lines[kind]
        try:
            other, *ranks = text.split(" ")
            found = numpy.full(self._count, int(other) * step, dtype=numpy.float32)
            for label, rank in zip(ranks[::2], ranks[1::2]):
                if label in self._numbers:
                    found[self._numbers[label]] = int(rank) * step
        except (ValueError, OverflowError) as error:
            raise damaged("deprels", DEPREL_WORDS, self._origin, error) from None
        return found


@lru_cache(maxsize=2**12)
def _first(feats: str, names: tuple[str, ...]) -> str:
    """Returns the value of the first of some features that a word has, `NONE` without any."""
    values = misc_column.entries(feats)
    return next((values[name] for name in names if name in values), NONE)
