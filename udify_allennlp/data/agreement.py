"""
Agreement of the features of a word with those of its head, by counts of the training treebanks:
German articles and nouns have the same case. A network that predicts each word's features alone
often breaks this.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.known_words import ORIGINS
from udify_allennlp.data.packed_entries import damaged, packed_entry, packed_text, unpacked
from udify_allennlp.data.vocabulary_entries import has_entries
from udify_allennlp.text import misc_column
from udify_allennlp.text.sentence import Columns, Sentence, by_sentence
from udify_allennlp.text.universal_labels import universal_deprel

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
WEIGHT = 0.4
"""Weight of the log-odds in nats; the log-probabilities of the model have 1."""
BROKEN = -0.5
"""Log-odds (nats) below which the features of two words are looked at again."""
CANDIDATES = 8
"""Number of labels of such a word, the most probable ones, of which the best is chosen."""
_ROUNDS = 3
"""Maximum number of times that a sentence is gone through."""

Candidates = Sequence[tuple[int, float]]
"""The numbers of the most probable labels of a word, and their log-probabilities."""


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


class Agreement:
    """
    Chooses features of words that go together with those of their heads and dependents: from the
    most probable labels of each word, those with the highest sum of the model's log-probabilities
    and weighted log-odds of arcs, found by changing one word at a time, where an arc is broken.

    # Parameters

    vocab : `Numbers`
    labels : `Sequence[str]`
        All labels of features, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, labels: Sequence[str]) -> None:
        self._vocab, self._labels = vocab, list(labels)
        self._has_entries = has_entries(vocab, AGREEMENT)
        self._numbers = {label: number for number, label in enumerate(labels)} if self else {}
        self._tables = lru_cache(maxsize=ORIGINS)(self._table)
        self._values = lru_cache(maxsize=2**12)(misc_column.entries)

    def __bool__(self) -> bool:
        return self._has_entries

    def apply(
        self,
        columns: Sequence[Columns],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        likely: Callable[[Sequence[int]], Sequence[Candidates]],
    ) -> None:
        """
        Replaces, in `columns`, the features of sentences that do not agree.

        # Parameters

        sentences : `Sequence[Sentence]`
            With predicted UPOS and trees.
        langs : `Sequence[str]`
            The language of each word; empty if it is unknown.
        likely : `Callable[[Sequence[int]], Sequence[Candidates]]`
            Returns the candidates of the words at some positions.

        # Raises

        `InputError` if the entry of a language is damaged.
        """
        graphs, start = [], 0
        for sentence in sentences:
            odds = self._tables(langs[start])
            if odds is not None:
                graphs.append(_Graph(sentence, start, odds))
            start += len(sentence)
        numbers = self.numbers_of(columns)
        broken = [place for graph in graphs for place in graph.broken(numbers)]
        if not broken:
            return
        candidates = dict(zip(broken, likely(broken)))
        for graph in graphs:
            graph.correct(numbers, candidates)
        cells = (self._labels[number] for number in numbers)
        for own, new in zip(columns, by_sentence(cells, sentences)):
            own["feats"] = list(new)

    def numbers_of(self, columns: Sequence[Columns]) -> list[int]:
        """Returns the numbers of the features of all words in `columns`."""
        return [self._numbers[cell] for own in columns for cell in own["feats"]]

    def _table(self, lang: str) -> Optional["_Odds"]:
        text = packed_text(self._vocab, AGREEMENT, lang)
        if not text:
            return None
        try:
            kinds = dict(map(_kind_of, unpacked(text).split("\n")))
        except (ValueError, OverflowError, OSError) as error:
            raise damaged("features", AGREEMENT, lang, error) from None
        return _Odds(kinds, lambda label: self._values(self._labels[label]))


class _Odds:
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
        self.of = lru_cache(maxsize=2**14)(self._of)
        self._names = cache(self._names_of)

    def _of(self, kind: ArcType, dependent: int, head: int) -> float:
        """Returns the sum of the log-odds (nats) of the values of two labels."""
        own, governing = self._features(dependent), self._features(head)
        other, ranks = self.kinds[kind]
        names = (own.keys() | governing.keys()) & self._names(kind)
        pairs = ((name, own.get(name, NONE), governing.get(name, NONE)) for name in names)
        return STEP * sum(ranks.get(pair, other) for pair in pairs)

    def _names_of(self, kind: ArcType) -> frozenset[str]:
        """Returns the features that are counted for a kind of arc."""
        return frozenset(name for name, _, _ in self.kinds[kind].ranks)


class _Graph:
    """The arcs of a sentence whose kinds are known."""

    def __init__(self, sentence: Sentence, start: int, odds: _Odds) -> None:
        self._odds = odds
        upos, heads, deprels = sentence.upos, sentence.heads, sentence.deprels
        self._arcs: list[tuple[ArcType, int, int]] = []
        for place, (head, deprel) in enumerate(zip(map(int, heads), deprels)):
            if head:
                kind = ArcType(universal_deprel(deprel), upos[place], upos[head - 1])
                if kind in odds.kinds:
                    self._arcs.append((kind, start + place, start + head - 1))
        self._broken: list[int] = []

    def broken(self, labels: Sequence[int]) -> list[int]:
        """Returns the positions of the words of broken arcs, given the labels of all words."""
        of = self._odds.of
        places = {
            place
            for kind, dependent, head in self._arcs
            if of(kind, labels[dependent], labels[head]) < BROKEN
            for place in (dependent, head)
        }
        self._broken = sorted(places)
        return self._broken

    def correct(self, labels: list[int], candidates: Mapping[int, Candidates]) -> None:
        """
        Changes, in place, labels of the words of broken arcs, given their candidates with
        log-probabilities.
        """
        of = self._odds.of
        arcs_of = {place: [arc for arc in self._arcs if place in arc[1:]] for place in self._broken}
        for _ in range(_ROUNDS):
            before = [labels[place] for place in self._broken]
            for place in self._broken:
                best, chosen = -numpy.inf, labels[place]
                for label, score in candidates[place]:
                    labels[place] = label
                    score += WEIGHT * sum(
                        of(kind, labels[dependent], labels[head])
                        for kind, dependent, head in arcs_of[place]
                    )
                    if score > best:
                        best, chosen = score, label
                labels[place] = chosen
            if before == [labels[place] for place in self._broken]:
                return


def agreement_entry(lang: str, kinds: Mapping[ArcType, Values]) -> str:
    """Returns the entry of a language."""
    lines = []
    for kind, (other, ranks) in kinds.items():
        cells = [" ".join([*pair, str(rank)]) for pair, rank in ranks.items()]
        lines.append(f"{' '.join([*kind, str(other)])}\t{' '.join(cells)}")
    return packed_entry(lang, "\n".join(lines))


def _kind_of(line: str) -> tuple[ArcType, Values]:
    """Raises `ValueError` if a line is damaged."""
    kind, cells = line.split("\t")
    deprel, dependent, head, other = kind.split(" ")
    names, own, governing, ranks = (cells.split(" ")[place::4] for place in range(4))
    pairs = zip(names, own, governing)
    return ArcType(deprel, dependent, head), Values(int(other), dict(zip(pairs, map(int, ranks))))
