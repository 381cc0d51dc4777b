"""Evaluation of structural probes (Hewitt and Manning 2019, section 4.1)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy

from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree, spanning_tree

LENGTHS = range(5, 51)
"""Sentence lengths, in words, whose correlations count."""


def distance_scores(
    predicted: Sequence[numpy.ndarray], trees: Sequence[GoldTree]
) -> dict[str, Any]:
    """
    Scores predicted distances, `(words, words)` for each sentence:

    - `uuas`: percentage of the gold edges that are in the minimum spanning tree of the prediction;
      words with the UPOS `PUNCT` and their edges are left out. Departure: the paper's code uses the
      spanning tree of the gold distances instead of the gold edges; these differ if punctuation has
      dependents, since it must choose among ties, while we count the actual arcs.
    - `spearman`: the rank correlation between the distances of a word to all words (including
      itself and punctuation, as in the paper's code), averaged over the words of all sentences of a
      length, then over the lengths 5 to 50
    - `spearman_by_length`: the same for each length
    """
    correct = total = 0
    by_length: dict[int, list[float]] = defaultdict(list)
    for distances, tree in zip(predicted, trees):
        gold = {edge for edge in tree.edges if not tree.punctuation[list(edge)].any()}
        correct += len(gold & spanning_tree(distances, tree.words))
        total += len(gold)
        by_length[len(tree)].extend(rank_correlations(distances, tree.distances))
    return {"uuas": _percent(correct, total), **_by_length(by_length)}


def depth_scores(predicted: Sequence[numpy.ndarray], trees: Sequence[GoldTree]) -> dict[str, Any]:
    """
    Scores predicted depths, `(words,)` for each sentence:

    - `root_accuracy`: percentage of sentences whose root has the lowest predicted depth among the
      words that are not punctuation; sentences whose root is punctuation are left out
    - `spearman`, `spearman_by_length`: for the depths in a sentence, otherwise as for distances
    """
    correct = total = 0
    by_length: dict[int, list[float]] = defaultdict(list)
    for depths, tree in zip(predicted, trees):
        if not tree.punctuation[tree.root]:
            correct += int(tree.words[depths[tree.words].argmin()] == tree.root)
            total += 1
        by_length[len(tree)].extend(rank_correlations(depths[None], tree.depths[None]))
    return {"root_accuracy": _percent(correct, total), **_by_length(by_length)}


def rank_correlations(x: numpy.ndarray, y: numpy.ndarray) -> numpy.ndarray:
    """
    Returns Spearman's correlation of each row of `x` with that of `y`, `(rows, n)`: `(rows,)`. It
    is 0 if all numbers of a row are equal, where it is undefined.
    """
    from scipy.stats import rankdata

    ranks = [rankdata(values, axis=1) for values in (x, y)]
    x, y = (rank - rank.mean(1, keepdims=True) for rank in ranks)
    scale = numpy.sqrt((x * x).sum(1) * (y * y).sum(1))
    return (x * y).sum(1) / numpy.where(scale > 0, scale, 1)


def _by_length(values: dict[int, list[float]]) -> dict[str, Any]:
    means = {n: float(numpy.mean(values[n])) for n in sorted(values) if n in LENGTHS}
    mean = float(numpy.mean(list(means.values()))) if means else None
    return {"spearman": mean, "spearman_by_length": means}


def _percent(correct: int, total: int) -> Any:
    return 100 * correct / total if total else None
