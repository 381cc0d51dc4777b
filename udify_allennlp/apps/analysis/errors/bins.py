"""
Correct and wrong arcs of a parse by length, depth, sentence length, relation and projectivity
(Mohammadshahi 2023, sections 2.6.3, 3.6.4 and 3.6.5). In all views an arc is correct if LAS counts
it as correct, so that the views break down one score: a wrong subtype is not an error.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Optional

from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import universal_deprel

LONGEST = 10
"""Arcs of at least this length or depth share one bin (Tables 2.13 and 2.15)."""
SENTENCES = (10, 20, 30, 40, 50)
"""Lower bounds of the bins of sentence length, in words, without the first bin (Table 2.17)."""
_LENGTHS = ["ROOT", *map(str, range(1, LONGEST)), f"{LONGEST}+"]
_SENTENCES = ["1-9", "10-19", "20-29", "30-39", "40-49", "50+"]
VIEWS: dict[str, Optional[Sequence[str]]] = {
    "dependency length": _LENGTHS,
    "distance to root": _LENGTHS,
    "sentence length": _SENTENCES,
    "relation": None,
    "relation with subtype": None,
    "projectivity": ["projective", "non-projective"],
}
"""
The bins of each view in order; `None`: the most frequent first. Table 2.3 has some of UD's subtypes
as separate relations (`rcmod`, `nsubjpass`).
"""


class Arc(NamedTuple):
    """
    The head and the relation of a word, and the bin of this arc in each view, in the order of
    `VIEWS`.
    """

    head: int
    deprel: str
    """The relation without its subtype."""
    bins: tuple[str, ...]


class Bin(NamedTuple):
    """
    Arcs of one bin. An arc may be in different bins in the gold tree and in the parse, since its
    depth and its subtype may differ, so there are two numbers of correct arcs.
    """

    gold: int
    found: int
    """Number of gold arcs that the parse has."""
    predicted: int
    right: int
    """Number of predicted arcs that gold has."""

    @property
    def recall(self) -> float:
        """Recall in percent; 0 if the bin has no gold arcs."""
        return 100 * self.found / max(self.gold, 1)

    @property
    def precision(self) -> float:
        return 100 * self.right / max(self.predicted, 1)

    @property
    def f1(self) -> float:
        """F1 in percent; for words binned by sentence length, LAS."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


Bins = dict[str, dict[str, Bin]]
"""Counts by view and bin; bins with neither gold nor predicted arcs are left out."""


def arcs(sentence: Sentence) -> list[Arc]:
    """Returns the arc of each word of a sentence whose heads form a tree."""
    heads = [0, *map(int, sentence.heads)]
    depths, projective = _depths(heads), _projective(heads)
    size = _SENTENCES[sum(len(sentence) >= first for first in SENTENCES)]
    sentence_arcs = []
    for word, label in enumerate(sentence.deprels, start=1):
        head, deprel = heads[word], universal_deprel(label)
        length = "ROOT" if head == 0 else _up_to(abs(head - word))
        depth = "ROOT" if head == 0 else _up_to(depths[word] - 1)
        crossing = "projective" if projective[word] else "non-projective"
        sentence_arcs.append(Arc(head, deprel, (length, depth, size, deprel, label, crossing)))
    return sentence_arcs


def bins(golds: Iterable[Sequence[Arc]], parses: Iterable[Sequence[Arc]]) -> Bins:
    """Returns the counts of the arcs of gold sentences and their parses."""
    counts: dict[tuple[int, str], Counter[str]] = {}
    for gold, parse in zip(golds, parses):
        for ours, theirs in zip(gold, parse):
            is_right = ours[:2] == theirs[:2]
            for view, (in_gold, in_parse) in enumerate(zip(ours.bins, theirs.bins)):
                counts.setdefault((view, in_gold), Counter()).update(gold=1, found=is_right)
                counts.setdefault((view, in_parse), Counter()).update(predicted=1, right=is_right)
    views: Bins = {}
    for view, (name, order) in enumerate(VIEWS.items()):
        view_bins = {
            bin_: Bin(*(count[field] for field in Bin._fields))
            for (place, bin_), count in counts.items()
            if place == view
        }
        ordered = order or [
            bin_ for _, bin_ in sorted((-view_bins[bin_].gold, bin_) for bin_ in view_bins)
        ]
        views[name] = {bin_: view_bins[bin_] for bin_ in ordered if bin_ in view_bins}
    return views


def reduction(before: float, after: float) -> Optional[float]:
    """
    Returns the relative error reduction in percent, `RER(a, b) = (b - a) / (100 - a)` (Equation
    3.8); negative if the error grew, `None` if there was no error before.
    """
    return None if before >= 100 else 100 * (after - before) / (100 - before)


def _up_to(number: int) -> str:
    return str(number) if number < LONGEST else f"{LONGEST}+"


def _depths(heads: Sequence[int]) -> list[int]:
    """Returns the number of arcs from ROOT to each node; ROOT is the first."""
    depths = [0] + [-1] * (len(heads) - 1)
    for word in range(1, len(heads)):
        path = [word]
        while depths[path[-1]] < 0:
            path.append(heads[path[-1]])
        depth = depths[path.pop()]
        for node in reversed(path):
            depth += 1
            depths[node] = depth
    return depths


def _projective(heads: Sequence[int]) -> list[bool]:
    """Returns for each node whether all words between it and its head descend from the head."""
    below: list[list[int]] = [[] for _ in heads]
    for word in range(1, len(heads)):
        below[heads[word]].append(word)
    # In an order in which each node comes right before all that hangs below it.
    place, end, stack = [0] * len(heads), [0] * len(heads), [0]
    for number in range(len(heads)):
        place[stack[-1]] = number
        stack += below[stack.pop()]
    for word in sorted(range(len(heads)), key=place.__getitem__, reverse=True):
        end[word] = max([place[word], *(end[other] for other in below[word])])
    return [
        all(
            place[head] <= place[between] <= end[head]
            for between in range(min(word, head) + 1, max(word, head))
        )
        for word, head in enumerate(heads)
    ]
