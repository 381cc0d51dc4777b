"""The best arguments of a predicate that do not overlap (Punyakanok et al. 2008)."""

from bisect import bisect_right
from typing import List, NamedTuple, Sequence


class Candidate(NamedTuple):
    """A span between two fences, its best label, and how much better this is than none."""

    left: int
    right: int
    label: int
    score: float


def best_arguments(candidates: Sequence[Candidate]) -> List[Candidate]:
    """
    The set with the highest sum of scores in which no two overlap, in the order of the text. `best`
    goes over the candidates by their right ends, `best[i] = max(best[i - 1], score_i + best[j])`
    where `j` is the last that ends before `i` begins: what has a score below 0 is never taken.
    """
    ordered = sorted((each for each in candidates if each.score > 0), key=lambda each: each.right)
    ends = [each.right for each in ordered]
    best = [0.0]
    for number, each in enumerate(ordered):
        before = bisect_right(ends, each.left, 0, number)
        best.append(max(best[number], each.score + best[before]))
    found: List[Candidate] = []
    number = len(ordered)
    while number:
        if best[number] == best[number - 1]:
            number -= 1
            continue
        found.append(ordered[number - 1])
        number = bisect_right(ends, ordered[number - 1].left, 0, number - 1)
    return found[::-1]
