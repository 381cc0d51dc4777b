"""
Deprels by the features of words: a German noun in the accusative is seldom a subject. A
network scores deprels without knowing the features that it predicts.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.data.language_sections import lines_by_language
from udify_allennlp.text import misc_column

FILE = Path(__file__).with_name("deprel_odds.txt")
"""
Sections `[language]` of lines `dependent head mark of_head<tab>other deprel rank deprel ...`: the
UPOS of both words and, as in `Kind`, a feature of each. Then follow the logarithms of how many
times as probable each deprel is as between such UPOS in general, first that of all others; in steps
of `STEP` nats. It is made by `benchmarks/deprel_odds.py` from training treebanks.
"""
STEP = 0.5
WEIGHT = 0.7
"""
Weight of these log-odds, in nats; the log-probabilities of the model have 1. Chosen on 80
development sentences of each of 175 treebanks.
"""
NONE = "-"
_OF_DEPENDENT, _OF_HEAD = ("Case", "VerbForm", "PronType", "NumType"), ("Voice", "VerbForm")
"""The features of a word of which the first that it has counts."""


class Kind(NamedTuple):
    """A kind of arc."""

    dependent: str
    """UPOS."""
    head: str
    """UPOS."""
    mark: str
    """A feature of the dependent."""
    of_head: str
    """A feature of the head."""

    @classmethod
    def of(cls, upos: tuple[str, str], feats: tuple[str, str]) -> "Kind":
        """Returns that of an arc, given the UPOS and the features of dependent and head."""
        return cls(*upos, _first(feats[0], _OF_DEPENDENT), _first(feats[1], _OF_HEAD))


class DeprelOdds:
    """
    The weighted log-odds of deprels in a language.

    # Parameters

    lang : `str`
    labels : `Sequence[str]`
        All deprels, in the order of their numbers.
    """

    def __init__(self, lang: str, labels: Sequence[str]) -> None:
        self._count = len(labels)
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._lines: dict[Kind, str] = {}
        for line in lines_by_language(FILE).get(lang, ()):
            kind, ranks = line.split("\t")
            self._lines[Kind(*kind.split(" "))] = ranks
        self.of = lru_cache(maxsize=2**10)(self._of)

    def _of(self, kind: Kind) -> Optional[numpy.ndarray]:
        """Returns those of a kind of arc, float32 `(labels,)`; `None` if it is not counted."""
        if kind not in self._lines:
            return None
        other, *ranks = self._lines[kind].split(" ")
        found = numpy.full(self._count, int(other) * STEP * WEIGHT, dtype=numpy.float32)
        for label, rank in zip(ranks[::2], ranks[1::2]):
            if label in self._numbers:
                found[self._numbers[label]] = int(rank) * STEP * WEIGHT
        return found


@lru_cache(maxsize=2**12)
def _first(feats: str, names: tuple[str, ...]) -> str:
    """Returns the value of the first of some features that a word has, `NONE` without any."""
    values = misc_column.entries(feats)
    return next((values[name] for name in names if name in values), NONE)
