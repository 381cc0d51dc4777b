"""
Writes how words attach and agree in treebanks, as the vocabularies with which a model corrects its
trees and features (`KnownArcs`, `Agreement`).

    python benchmarks/known_trees.py FILE.conllu ... --out .
    python benchmarks/known_trees.py FILE.conllu ... --alone FILE.conllu --out .

Arcs are counted by language and, in treebanks whose deprels differ from those of others, also by
treebank. --alone has treebanks of which nothing counts for their languages.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
import numpy
from edition_data import TREES

from udify_allennlp.data import agreement_odds, attachments
from udify_allennlp.data.agreement_odds import NONE, ArcType, Values, agreement_entry
from udify_allennlp.data.attachments import (
    DISTANCES,
    LEFT,
    OTHERS,
    RIGHT,
    ROOT_UPOS,
    ArcKind,
    attachments_entry,
)
from udify_allennlp.data.columns import UNLABELLED
from udify_allennlp.data.reading import read_table
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.unannotated_columns import without_left_out
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.misc_column import entries
from udify_allennlp.text.universal_labels import universal_deprel

TASKS = ("upos", "feats", "deps")
MANY = 4000
"""
Number of sentences of a language up to which its counts have full weight; of four times as many
they have half of it, as a model learns the trees of many sentences by itself.
"""
FEWEST_SENTENCES, DIFFERENT = 300, 0.08
"""
Minimum number of sentences of a treebank that has its own counts, and of their `difference` from
those of its language: 48 of 113 treebanks of languages with several. On 100 test sentences of each
of these 48, LAS is 0.27 points higher with them.
"""
FEWEST_ARCS = 3
"""Minimum number of arcs of a kind that is not counted with all others."""
FEWEST_AGREEING = 100
"""The same for features; smaller counts cost small treebanks up to 4 points."""
SHARE, SHARE_AGREEING = 2e-4, 3e-4
"""The same as shares of all arcs of a language: of large ones, rare kinds would fill archives."""
FEATURES = frozenset(["Animacy", "Case", "Definite", "Gender", "Number", "Person"])
"""The features that are counted, in which words agree."""
MOST = 8
"""Maximum and minimum of the log-odds of arcs, in steps."""
RARE = 0.01
"""A deprel or two values of one arc count as unseen if this arc is a smaller share of its kind."""
# Numbers of words by which estimates are smoothed: of arcs at a distance by those at any, of these
# by all, of deprels and of values.
_OF_DISTANCE, _OF_KIND, _OF_DEPREL, _OF_VALUES = 5.0, 3.0, 2.0, 50.0
_UNSEEN_DEPREL = 0.05
"""Count of a deprel that a kind of arc lacks."""


def weight_of(sentences: int) -> float:
    """Returns the weight of the counts of a language with this number of sentences; see `MANY`."""
    return min(1.0, (MANY / sentences) ** 0.5)


class Counts:
    """The arcs of a language."""

    def __init__(self) -> None:
        self.sentences = 0
        self.numbers = {ROOT_UPOS: 0}
        self._pairs, self._arcs = Counter[int](), Counter[int]()
        self.deprels: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self.types: Counter[ArcType] = Counter()
        self.values: defaultdict[ArcType, Counter[tuple[str, str, str]]] = defaultdict(Counter)
        self.words: Counter[str] = Counter()
        self.own_values: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)

    def add_tree(self, upos: Sequence[str], heads: Sequence[int], deprels: Sequence[str]) -> None:
        self.sentences += 1
        tags = [self.numbers.setdefault(tag, len(self.numbers)) for tag in [ROOT_UPOS, *upos]]
        words = numpy.arange(1, len(tags))
        kinds = _kind(numpy.array(tags), words[:, None], numpy.arange(len(tags))[None, :])
        others = words[:, None] != numpy.arange(len(tags))[None, :]
        for counts, chosen in (
            (self._pairs, kinds[others]),
            (self._arcs, kinds[words - 1, numpy.array(heads)]),
        ):
            found, times = numpy.unique(chosen, return_counts=True)
            counts.update(dict(zip(found.tolist(), times.tolist())))
        names = [ROOT_UPOS, *upos]
        for place, (head, deprel) in enumerate(zip(heads, deprels), 1):
            side = LEFT if place < head or head == 0 else RIGHT
            self.deprels[names[place], names[head], side][deprel] += 1

    def add_features(
        self,
        upos: Sequence[str],
        heads: Sequence[int],
        deprels: Sequence[str],
        feats: Sequence[str],
    ) -> None:
        """Counts features, except those of words that are `UNLABELLED`."""
        of_words = [_features(cell) for cell in feats]
        for place, (tag, head, deprel, own) in enumerate(zip(upos, heads, deprels, of_words)):
            if feats[place] == UNLABELLED:
                continue
            self.words[tag] += 1
            self.own_values[tag].update(own.items())
            if head and feats[head - 1] != UNLABELLED:
                governing = of_words[head - 1]
                kind = ArcType(universal_deprel(deprel), tag, upos[head - 1])
                self.types[kind] += 1
                self.values[kind].update(
                    (name, own.get(name, NONE), governing.get(name, NONE))
                    for name in own.keys() | governing.keys()
                )

    def arc_kinds(self) -> Iterator[ArcKind]:
        """Yields the log-odds of arcs and the log-probabilities of deprels."""
        weight = weight_of(self.sentences)
        names = list(self.numbers)
        shape = (len(names), len(names), 2, len(DISTANCES) + 1)
        pairs, arcs = (self._array(counts, shape) for counts in (self._pairs, self._arcs))
        base = arcs.sum() / pairs.sum()
        rate = (arcs.sum(-1) + _OF_KIND * base) / (pairs.sum(-1) + _OF_KIND)
        rates = (arcs + _OF_DISTANCE * rate[..., None]) / (pairs + _OF_DISTANCE)

        def steps(rates: numpy.ndarray) -> numpy.ndarray:
            odds = weight * numpy.log(rates / base) / attachments.STEP
            return numpy.round(odds).astype(int).clip(-MOST, MOST)

        def rank(count: float, total: float) -> int:
            return round(weight * log(count / (total + _OF_DEPREL)) / attachments.STEP)

        is_other = arcs.sum(-1) < max(FEWEST_ARCS, SHARE * arcs.sum())
        of_others = (arcs[is_other].sum() + _OF_KIND * base) / (pairs[is_other].sum() + _OF_KIND)
        yield ArcKind(*OTHERS, (int(steps(of_others)),), rank(_UNSEEN_DEPREL, 0), {})
        odds = steps(rates)
        for dependent, head, side in numpy.argwhere(~is_other).tolist():
            kind = (names[dependent], names[head], (LEFT, RIGHT)[side])
            deprels = self.deprels[kind]
            total = deprels.total()
            own = {
                name: rank(count + _UNSEEN_DEPREL, total)
                for name, count in deprels.most_common()
                if count > 1 or RARE * total < 1
            }
            of_distances = odds[dependent, head, side].tolist()
            is_same = head == 0 or len({*of_distances}) == 1
            ranks = tuple(of_distances[:1] if is_same else of_distances)
            yield ArcKind(*kind, ranks, rank(_UNSEEN_DEPREL, total), own)

    def arc_types(self) -> Iterator[tuple[ArcType, Values]]:
        """Yields the log-odds of the values of features."""
        least = max(FEWEST_AGREEING, SHARE_AGREEING * self.types.total())
        for kind, count in sorted(self.types.items()):
            if count < least:
                continue
            total = count + _OF_VALUES
            ranks = {}
            for (name, own, governing), both in sorted(self.values[kind].items()):
                if both > 1 or RARE * count < 1:
                    chance = self._chance(kind.dependent, name, own)
                    chance *= self._chance(kind.head, name, governing)
                    odds = log((both + _OF_VALUES * chance) / total / chance)
                    ranks[name, own, governing] = round(odds / agreement_odds.STEP)
            other = round(log(_OF_VALUES / total) / agreement_odds.STEP)
            yield kind, Values(other, {pair: own for pair, own in ranks.items() if own != other})

    def _chance(self, upos: str, name: str, value: str) -> float:
        """Returns the probability of a value of a feature, or of its absence, given a UPOS."""
        counts, words = self.own_values[upos], self.words[upos]
        if value != NONE:
            return (counts[name, value] + 0.1) / (words + 1)
        there = sum(count for (own, _), count in counts.items() if own == name)
        return max(1e-3, 1 - there / (words + 1))

    @staticmethod
    def _array(counts: Counter[int], shape: tuple[int, ...]) -> numpy.ndarray:
        found = numpy.zeros(shape)
        for number, count in counts.items():
            kind, distance = divmod(number, len(DISTANCES) + 1)
            kind, side = divmod(kind, 2)
            found[(*divmod(kind, _MOST_TAGS), side, distance)] = count
        return found


_MOST_TAGS = 32
"""A number above that of all UPOS and ROOT, of which UD has 18."""


def _kind(tags: numpy.ndarray, words: numpy.ndarray, heads: numpy.ndarray) -> numpy.ndarray:
    """Returns the number of the kind of an arc, and of its distance, from `heads` to `words`."""
    side = (words > heads) & (heads > 0)
    distance = numpy.searchsorted(DISTANCES, numpy.where(heads > 0, numpy.abs(words - heads), 1))
    kind = (tags[words] * _MOST_TAGS + tags[heads]) * 2 + side
    return kind * (len(DISTANCES) + 1) + distance


def _features(cell: str) -> Mapping[str, str]:
    return {name: value for name, value in entries(cell).items() if name in FEATURES}


def counts_of(files: Sequence[str]) -> tuple[Mapping[str, Counts], Mapping[str, Counts]]:
    """Returns the counts of each language and those of each treebank."""
    reader = UniversalDependenciesReader(tasks=list(TASKS))
    table = read_table(reader, files)
    learned = without_left_out(table, reader.schema)
    names, of_row = table.treebanks
    of_languages: defaultdict[str, Counts] = defaultdict(Counts)
    of_treebanks: defaultdict[str, Counts] = defaultdict(Counts)
    for row, number in enumerate(of_row):
        name = names[number]
        treebank = name.removesuffix(TREES)
        counts = of_languages[treebank_language(treebank)]
        sentence = table.sentence(row)
        tree = (sentence.upos, list(map(int, sentence.heads)), sentence.deprels)
        counts.add_tree(*tree)
        of_treebanks[treebank].add_tree(*tree)
        if not name.endswith(TREES):
            counts.add_features(*tree, learned.values(row, "feats"))
    return of_languages, of_treebanks


def difference(own: Counts, whole: Counts) -> float:
    """
    Returns the average logarithm of how many times as probable the deprel of an arc is in a
    treebank as in its language, of which it is a part, given the UPOS of both words (nats).
    """
    total = sum(map(Counter.total, own.deprels.values()))
    found = 0.0
    for kind, deprels in own.deprels.items():
        of_whole = whole.deprels[kind]
        ratio = of_whole.total() / deprels.total()
        found += sum(
            count * log(count / of_whole[name] * ratio)
            for name, count in deprels.items()
            if count > 1
        )
    return found / total


def write(files: Sequence[str], folder: Path, alone: Sequence[str] = ()) -> None:
    """
    Writes the vocabularies of treebanks, and the arcs of treebanks that stand `alone`, into a
    folder.
    """
    found, of_treebanks = counts_of(files)
    own = {
        name: counts
        for name, counts in of_treebanks.items()
        if counts.sentences >= FEWEST_SENTENCES
        and difference(counts, found[treebank_language(name)]) >= DIFFERENT
    }
    for file in alone:
        own |= counts_of([file])[1]
    both = sorted({**found, **own}.items())
    arcs = (attachments_entry(origin, counts.arc_kinds()) for origin, counts in both)
    types = ((lang, dict(counts.arc_types())) for lang, counts in sorted(found.items()))
    features = (agreement_entry(lang, kinds) for lang, kinds in types if kinds)
    write_entries(folder / f"{attachments.ATTACHMENTS}.txt", arcs)
    write_entries(folder / f"{agreement_odds.AGREEMENT}.txt", features)


def write_entries(path: Path, entries: Iterable[str]) -> None:
    """Writes a vocabulary."""
    write_whole(path, ["".join(f"{entry}\n" for entry in entries).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="training treebanks of the model")
    parser.add_argument("--alone", nargs="*", default=[], help="treebanks unlike the others")
    parser.add_argument("--out", required=True, help="folder for the vocabularies")
    given = parser.parse_args()
    write(given.files, Path(given.out), given.alone)
    return 0


if __name__ == "__main__":
    sys.exit(main())
