"""
Bracket counts, sentence by sentence, like those of the program EVALB (Sekine and Collins) with its
parameter file `COLLINS.prm`.

First, each tree is reduced. Words whose tag is one of `deleted` are removed, and phrases left
without words with them; labels are cut at their first `-` or `=`; phrases whose label is one of
`deleted` are removed, and labels that are `equal` are merged. Then a phrase is correct if the other
tree has one with the same label over the same words; duplicate phrases count twice.

If the two trees are left with different words, because punctuation was tagged as words or words as
punctuation, EVALB excludes the sentence from all scores and reports an error; here it is counted as
`skipped`. The same holds, without an error, if the predicted tree has no words left.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from udify_allennlp.scoring.match_counts import Counts
from udify_allennlp.text.constituents.tree import PhraseTree, bare_label

DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
EQUAL = {"PRT": "ADVP"}
"""`DELETE_LABEL` and `EQ_LABEL` of `COLLINS.prm`."""

Bracket = tuple[int, int, str]
"""The fences of a phrase and its label."""


class BracketCounts(NamedTuple):
    """Counts of some sentences; they are added up with `+`."""

    right: int = 0
    """Number of phrases in both trees."""
    right_unlabelled: int = 0
    """Number of phrases in both trees, ignoring labels."""
    gold: int = 0
    predicted: int = 0
    words: int = 0
    right_tags: int = 0
    sentences: int = 0
    exact: int = 0
    """Number of sentences whose phrases are all correct."""
    skipped: int = 0
    """Number of sentences that are not counted."""

    def __add__(self, other: tuple) -> "BracketCounts":
        return BracketCounts(*(a + b for a, b in zip(self, other)))

    def scores(self) -> dict[str, float]:
        """
        Returns the scores by name, in percent; empty without sentences: labelled precision, recall
        and F1 (`LP`, `LR`, `LF1`), the same without labels (`UP`, `UR`, `UF1`), completely correct
        sentences (`exact`), tags (`tags`), and `skipped`, the number of sentences left out.
        """
        if not self.sentences + self.skipped:
            return {}
        found: dict[str, float] = {}
        for kind, right in (("L", self.right), ("U", self.right_unlabelled)):
            counts = Counts(self.gold, self.predicted, right)
            found |= {f"{kind}P": counts.precision, f"{kind}R": counts.recall}
            found[f"{kind}F1"] = counts.f1
        found["exact"] = 100 * self.exact / self.sentences if self.sentences else 0.0
        found["tags"] = 100 * self.right_tags / self.words if self.words else 0.0
        found["skipped"] = float(self.skipped)
        return found


def count(
    gold: PhraseTree,
    predicted: PhraseTree,
    deleted: Collection[str] = DELETED,
    equal: Mapping[str, str] = EQUAL,
    gold_tags: bool = False,
) -> BracketCounts:
    """
    Returns the counts of one sentence.

    # Parameters

    gold, predicted : `PhraseTree`
    deleted : `Collection[str]`
        Tags and labels that do not count.
    equal : `Mapping[str, str]`
        Labels, and the label that each counts as.
    gold_tags : `bool`
        True if only gold tags determine which words are removed, so that no sentence is skipped for
        its tags.
    """
    kept = [[tag not in deleted for tag in tree.tags] for tree in (gold, predicted)]
    if gold_tags:
        kept[1] = kept[0]
    words, tags, brackets = _reduced(gold.of_words(kept[0]), deleted, equal)
    theirs = predicted.of_words(kept[1])
    their_words, their_tags, their_brackets = _reduced(theirs, deleted, equal)
    if words != their_words or not words:
        return BracketCounts(skipped=1)
    right = _common(brackets, their_brackets)
    return BracketCounts(
        right=right,
        right_unlabelled=_common([b[:2] for b in brackets], [b[:2] for b in their_brackets]),
        gold=len(brackets),
        predicted=len(their_brackets),
        words=len(words),
        right_tags=sum(a == b for a, b in zip(tags, their_tags)),
        sentences=1,
        exact=int(len(brackets) == len(their_brackets) == right),
    )


def _reduced(
    tree: PhraseTree, deleted: Collection[str], equal: Mapping[str, str]
) -> tuple[list[str], list[str], list[Bracket]]:
    """The words, tags and brackets of a tree that count."""
    brackets = []
    for label, start, end in tree.phrases:
        label = bare_label(label)
        if label not in deleted:
            brackets.append((start - 1, end, equal.get(label, label)))
    return list(tree.words), [equal.get(tag, tag) for tag in tree.tags], brackets


def _common(ours: Collection[tuple], theirs: Collection[tuple]) -> int:
    return (Counter(ours) & Counter(theirs)).total()
