"""
Counts of correct roles in a sentence, as the scripts of the shared tasks count them: `srl-eval.pl`
of CoNLL 2005 and `eval09.pl` of CoNLL 2009. Facts only; the code is ours.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from udify_allennlp.scoring.match_counts import Counts
from udify_allennlp.text.roles.predicates import VERB, Argument, Predicate

_CONTINUED = "C-"


class Styles(NamedTuple):
    """The styles for which gold has arguments."""

    spans: bool
    words: bool


def styles_of(golds: Sequence[Predicate]) -> Styles:
    """
    Returns the styles of sentences: only one for a file of one style, since the arguments of the
    other style are not annotated; both for a sentence without arguments.
    """
    spans = any(predicate.spans for predicate in golds)
    roles = any(argument.label != VERB for predicate in golds for argument in predicate.spans)
    words = any(predicate.heads for predicate in golds)
    return Styles(spans or not words, words or not roles)


def span_counts(
    golds: Sequence[Predicate], predicted: Sequence[Predicate], all_predicates: bool = False
) -> Counts:
    """
    Counts span arguments. An argument that continues in `C-A1` is one argument with all its parts,
    which must all be correct; V and C-V do not count. A predicate that gold lacks is skipped with
    its arguments, and one with another lemma counts as if it had none.

    # Parameters

    golds, predicted : `Sequence[Predicate]`
        The predicates of one sentence.
    all_predicates : `bool`
        True to count the arguments of all predicted predicates, with any lemma: those that the
        script skips then count as wrong.
    """
    of_word = {predicate.word: predicate for predicate in predicted}
    total = Counts()
    for gold in golds:
        prediction = of_word.pop(gold.word, None)
        same = prediction is not None and (all_predicates or prediction.lemma == gold.lemma)
        total += _compared(gold.spans, prediction.spans if prediction is not None and same else ())
    if all_predicates:
        for prediction in of_word.values():
            total += _compared((), prediction.spans)
    return total


class DependencyCounts(NamedTuple):
    """
    Counts for dependency style: predicates, those with their senses, and arguments by word and
    label.
    """

    predicates: Counts = Counts()
    senses: Counts = Counts()
    arguments: Counts = Counts()
    unlabelled: Counts = Counts()
    """Arguments by word only."""

    def __add__(self, other: tuple[Counts, ...]) -> "DependencyCounts":  # type: ignore[override]
        return DependencyCounts(*(a + b for a, b in zip(self, other)))

    @property
    def labelled(self) -> Counts:
        """The counts that the script calls labelled: a sense is an arc from a virtual root."""
        return self.senses + self.arguments


def dependency_counts(
    golds: Sequence[Predicate], predicted: Sequence[Predicate]
) -> DependencyCounts:
    """
    Counts the arguments of dependency style and the senses of predicates in one sentence. The lemma
    of a sense does not count (unless it contains a full stop), `01` equals `1`, and an argument of
    a predicate with another sense can be correct.
    """
    of_gold = {predicate.word: predicate for predicate in golds}
    both = [
        (of_gold[prediction.word], prediction)
        for prediction in predicted
        if prediction.word in of_gold
    ]
    labels = [[_labels(p) for p in side] for side in (golds, predicted)]
    gold, num_predicted = (sum(map(len, side)) for side in labels)
    return DependencyCounts(
        Counts(len(golds), len(predicted), len(both)),
        Counts(len(golds), len(predicted), sum(_sense(a) == _sense(b) for a, b in both)),
        Counts(gold, num_predicted, sum(len(_labels(a) & _labels(b)) for a, b in both)),
        Counts(gold, num_predicted, sum(_shared_words(a, b) for a, b in both)),
    )


def _labels(predicate: Predicate) -> frozenset[tuple[int, str]]:
    return frozenset((argument.start, argument.label) for argument in predicate.heads)


def _shared_words(first: Predicate, second: Predicate) -> int:
    """Returns the number of arguments that have a partner on the same word, one to one."""
    counts: list[dict[int, int]] = []
    for predicate in (first, second):
        num_of_word: dict[int, int] = {}
        for word, _ in _labels(predicate):
            num_of_word[word] = num_of_word.get(word, 0) + 1
        counts.append(num_of_word)
    return sum(min(count, counts[1].get(word, 0)) for word, count in counts[0].items())


def _sense(predicate: Predicate) -> object:
    # To eval09.pl the sense is what stands behind the only full stop; else all of it.
    parts = predicate.roleset.split(".")
    sense = parts[1] if len(parts) == 2 and all(parts) else predicate.roleset
    return int(sense) if sense.isascii() and sense.isdecimal() else sense


Whole = tuple[str, tuple[tuple[int, int], ...]]
"""An argument: its label and its parts."""


def _compared(golds: Iterable[Argument], predicted: Iterable[Argument]) -> Counts:
    ours, theirs = _whole(golds), _whole(predicted)
    right = sum(theirs.get(place) == argument for place, argument in ours.items())
    return Counts(len(ours), len(theirs), right)


def _whole(spans: Iterable[Argument]) -> dict[tuple[int, int], Whole]:
    """Returns arguments by first and last word; parts of a discontinuous argument are joined."""
    arguments: list[tuple[str, list[tuple[int, int]]]] = []
    last: dict[str, list[tuple[int, int]]] = {}
    for label, start, end in sorted(spans, key=lambda span: (span.start, -span.end)):
        role = label.removeprefix(_CONTINUED)
        if role != label and role in last:
            last[role].append((start, end))
            continue
        # A continuation of nothing is the role itself.
        last[role] = [(start, end)]
        arguments.append((role, last[role]))
    return {
        (parts[0][0], parts[-1][1]): (role, tuple(parts))
        for role, parts in arguments
        if role != VERB
    }
