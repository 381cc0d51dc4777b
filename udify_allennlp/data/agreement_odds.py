"""The log-odds of the features of a word beside those of its head."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from udify_allennlp.data.governed_cases import Cases
from udify_allennlp.data.packed_entries import packed_entry

AGREEMENT = "agreement_labels"
"""
Namespace of the vocabulary: entries `language<tab>text`, the text compressed and in base 64. Each
line is of one kind of arc: `deprel dependent head other<tab>feature value value rank ...`, the
deprel without subtype, the UPOS of both words, and by how much more probable than by chance the
values of a feature, `NONE` without it, are together, in steps of `STEP` nats; first that of all
pairs of values that are not listed.
"""
NONE = "-"
STEP = 0.5
WEIGHT, OF_MODIFIERS, OF_PERSONS = 0.3, 0.6, 1.2
"""
Weights of the log-odds in nats: those of two cases, genders or numbers of `det` and `amod`, and of
the persons of a subject and its verb, which always agree, have higher ones; the log-probabilities
of the model have 1. Chosen on 8,871 development sentences.
"""
BROKEN = -1.0
"""
Log-odds (nats) of two values up to which words are looked at again. Without a value, as annotation
is often missing, they are not.
"""
FINITE = "finite verb"
"""The head of kinds of arcs from subjects to auxiliaries, with the log-odds of those to verbs."""


class ArcType(NamedTuple):
    """A kind of arc."""

    deprel: str
    """Without subtype."""
    dependent: str
    head: str


class Values(NamedTuple):
    """The log-odds of pairs of values on one kind of arc, in `STEP`s."""

    other: int
    """The log-odds of each pair of values that is not in `ranks`, of a feature that is there."""
    ranks: Mapping[tuple[str, str, str], int]
    """By feature, value of the dependent and value of the head."""


class AgreementOdds:
    """
    The log-odds of labels on the arcs of a language.

    # Parameters

    kinds : `Mapping[ArcType, Values]`
    values : `Callable[[int], Mapping[str, str]]`
        Returns the values of a label by feature.
    """

    def __init__(
        self, kinds: Mapping[ArcType, Values], values: Callable[[int], Mapping[str, str]]
    ) -> None:
        self.kinds, self._features = kinds, values
        self.is_broken = lru_cache(maxsize=2**14)(self._is_broken)
        self.weighted = lru_cache(maxsize=2**14)(self._weighted)
        self._names = cache(self._names_of)

    def has_person(self, label: int) -> bool:
        """Returns whether a label is of a word in a person."""
        return "Person" in self._features(label)

    def may_have(self, label: int, cases: Cases) -> bool:
        """Returns whether a label has one of some cases, or none at all."""
        case = self._features(label).get("Case")
        return case is None or not cases.isdisjoint(case.split(","))

    def _is_broken(self, kind: ArcType, dependent: int, head: int) -> bool:
        """Returns whether two values of a feature are seldom together on an arc."""
        ranks = self._ranks(kind, dependent, head)
        return any(STEP * rank <= BROKEN for pair, rank in ranks if NONE not in pair)

    def _weighted(self, kind: ArcType, dependent: int, head: int) -> float:
        """Returns the sum of the weighted log-odds (nats) of the values of two labels."""
        ranks = self._ranks(kind, dependent, head)
        return STEP * sum(_weight(kind.deprel, pair) * rank for pair, rank in ranks)

    def _ranks(
        self, kind: ArcType, dependent: int, head: int
    ) -> Iterator[tuple[tuple[str, str, str], int]]:
        """Yields the pairs of values of two labels with their log-odds."""
        own, governing = self._features(dependent), self._features(head)
        names = own.keys() | governing.keys()
        if kind.head == FINITE:
            kind = kind._replace(head="VERB")
            names = own.keys() & governing.keys() & {"Number", "Person"}
        other, ranks = self.kinds[kind]
        for name in names & self._names(kind):
            pair = (name, own.get(name, NONE), governing.get(name, NONE))
            yield pair, ranks.get(pair, other)

    def _names_of(self, kind: ArcType) -> frozenset[str]:
        """Returns the features that are counted for a kind of arc."""
        return frozenset(name for name, _, _ in self.kinds[kind].ranks)


def _weight(deprel: str, pair: tuple[str, str, str]) -> float:
    feature, *values = pair
    if NONE not in values:
        if deprel in ("det", "amod") and feature in ("Case", "Gender", "Number"):
            return OF_MODIFIERS
        if deprel == "nsubj" and feature == "Person":
            return OF_PERSONS
    return WEIGHT


def agreement_entry(lang: str, kinds: Mapping[ArcType, Values]) -> str:
    """Returns the entry of a language."""
    lines = []
    for kind, (other, ranks) in kinds.items():
        cells = [" ".join([*pair, str(rank)]) for pair, rank in ranks.items()]
        lines.append(f"{' '.join([*kind, str(other)])}\t{' '.join(cells)}")
    return packed_entry(lang, "\n".join(lines))


def kind_of(line: str) -> tuple[ArcType, Values]:
    """Returns a kind of arc from its line. Raises `ValueError` if it is damaged."""
    kind, cells = line.split("\t")
    deprel, dependent, head, other = kind.split(" ")
    names, own, governing, ranks = (cells.split(" ")[place::4] for place in range(4))
    pairs = zip(names, own, governing)
    return ArcType(deprel, dependent, head), Values(int(other), dict(zip(pairs, map(int, ranks))))
