"""The best arguments of a predicate that do not overlap (Punyakanok et al. 2008)."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy


class Candidate(NamedTuple):
    """A span between two fences, its best label, and the score of this minus that of no role."""

    left: int
    right: int
    label: int
    score: float


def best_arguments(candidates: Sequence[Candidate]) -> list[Candidate]:
    """
    Returns the set with the highest sum of scores in which no two overlap, in the order of the
    text. `best` runs over the candidates by their right ends, `best[i] = max(best[i - 1], score_i +
    best[j])` where `j` is the last that ends before `i` begins: a candidate with a score below 0 is
    never taken.
    """
    ordered = sorted(
        (candidate for candidate in candidates if candidate.score > 0),
        key=lambda candidate: candidate.right,
    )
    ends = [candidate.right for candidate in ordered]
    best = [0.0]
    for number, candidate in enumerate(ordered):
        before = bisect_right(ends, candidate.left, 0, number)
        best.append(max(best[number], candidate.score + best[before]))
    chosen: list[Candidate] = []
    number = len(ordered)
    while number:
        if best[number] == best[number - 1]:
            number -= 1
            continue
        chosen.append(ordered[number - 1])
        number = bisect_right(ends, ordered[number - 1].left, 0, number - 1)
    return chosen[::-1]


class BestRoles(NamedTuple):
    """The roles of one word that score higher than no role."""

    spans: list[Candidate]
    """Spans that do not overlap, in the order of the text."""
    words: list[Candidate]
    """Arguments of dependency style: `left` and `right` are the word."""
    is_predicate: bool
    """True if the word has any role, including the predicate's own."""


def best_roles(
    scores: numpy.ndarray,
    left: numpy.ndarray,
    right: numpy.ndarray,
    word: int,
    verb: Optional[int] = None,
) -> BestRoles:
    """
    Returns the best roles of the word `word` of 1..n.

    # Parameters

    scores : `numpy.ndarray`
        `(spans, labels)`: the scores minus that of no role.
    left, right : `numpy.ndarray`
        `(spans,)`: fences; for single words both are the word (see `Spans`).
    verb : `Optional[int]`
        The label of the predicate's own span, which begins with its word; no other span may contain
        this word. On the single word it only marks the predicate.
    """
    of_verb = numpy.full(len(scores), -numpy.inf)
    if verb is not None:
        of_verb = scores[:, verb].copy()
        scores = scores.copy()
        scores[:, verb] = -numpy.inf
    best = scores.max(1, initial=-numpy.inf)
    label = scores.argmax(1) if len(scores) else numpy.zeros(0, dtype=int)
    is_word = left == right
    holds = ~is_word & (left < word) & (word <= right)
    best[holds] = -numpy.inf
    is_verb_span = holds & (left == word - 1)
    best[is_verb_span], label[is_verb_span] = of_verb[is_verb_span], -1 if verb is None else verb

    def candidates(which: numpy.ndarray) -> list[Candidate]:
        return [
            Candidate(int(left[i]), int(right[i]), int(label[i]), float(best[i]))
            for i in (which & (best > 0)).nonzero()[0]
        ]

    spans, words = best_arguments(candidates(~is_word)), sorted(candidates(is_word))
    is_verb = bool((is_word & (left == word) & (of_verb > 0)).any())
    return BestRoles(spans, words, bool(spans or words or is_verb))
