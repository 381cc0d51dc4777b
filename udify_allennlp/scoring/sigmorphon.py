"""
Scores of SIGMORPHON 2019, task 2: lemmas and UniMorph descriptions (MSD) in context (McCarthy et
al. 2019, section 2.2; https://sigmorphon.github.io/sharedtasks/2019/task2).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

METRICS = {"LemmaAcc": "lemmas", "LemmaLev": "lemmas", "MsdAcc": "feats", "MsdF1": "feats"}
"""
The measures, with their columns: correct lemmas (percent), mean Levenshtein distance of lemmas
(characters), descriptions that are correct as sets of tags (percent), F1 of the tags of all words
together (percent).
"""
SEPARATOR = ";"


class Counts(NamedTuple):
    """The counts from which the scores of some words are computed."""

    words: int = 0
    lemmas: int = 0
    """Number of correct lemmas."""
    distance: int = 0
    """Sum of the Levenshtein distances of lemmas."""
    msds: int = 0
    """Number of correct descriptions."""
    shared: int = 0
    """Number of tags of the gold descriptions that are predicted."""
    gold: int = 0
    predicted: int = 0

    def scores(self) -> dict[str, float]:
        """Returns the scores by the names in `METRICS`; all 0 if there are no words."""
        words, tags = max(self.words, 1), max(self.gold + self.predicted, 1)
        return {
            "LemmaAcc": 100 * self.lemmas / words,
            "LemmaLev": self.distance / words,
            "MsdAcc": 100 * self.msds / words,
            "MsdF1": 100 * 2 * self.shared / tags,
        }


def total(counts: Iterable[Counts]) -> Counts:
    """Returns the counts of all words together."""
    return Counts(*map(sum, zip(Counts(), *counts)))


def count(
    lemmas: Sequence[str],
    msds: Sequence[str],
    predicted_lemmas: Sequence[str],
    predicted_msds: Sequence[str],
) -> Counts:
    """Counts the gold lemmas and descriptions of some words, and the predicted ones."""
    sets = [(_tags(gold), _tags(guess)) for gold, guess in zip(msds, predicted_msds, strict=True)]
    return Counts(
        len(lemmas),
        sum(gold == guess for gold, guess in zip(lemmas, predicted_lemmas, strict=True)),
        sum(map(_distance, lemmas, predicted_lemmas)),
        sum(gold == guess for gold, guess in sets),
        sum(len(gold & guess) for gold, guess in sets),
        sum(len(gold) for gold, _ in sets),
        sum(len(guess) for _, guess in sets),
    )


@lru_cache(maxsize=65536)
def _tags(msd: str) -> frozenset:
    return frozenset(msd.split(SEPARATOR)) - {"_"}


@lru_cache(maxsize=65536)
def _distance(gold: str, guess: str) -> int:
    """Returns Levenshtein's distance: the number of characters to insert, delete or replace."""
    if gold == guess:
        return 0
    row = list(range(len(guess) + 1))
    """Distances between the current prefix of `gold` and each prefix of `guess`."""
    for number, character in enumerate(gold, 1):
        diagonal, row[0] = row[0], number
        for place, other in enumerate(guess, 1):
            replaced = diagonal + (character != other)
            diagonal = row[place]
            row[place] = min(replaced, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def averages(rows: Sequence[tuple[str, Counts]]) -> dict[str, dict[str, float]]:
    """
    Returns the scores of several treebanks: `macro`, the mean over treebanks, by which the shared
    task ranks systems, and `micro`, the scores of all words together.
    """
    treebank_scores = [counts.scores() for _, counts in rows]
    return {
        "macro": {
            name: sum(row[name] for row in treebank_scores) / max(len(treebank_scores), 1)
            for name in METRICS
        },
        "micro": total(counts for _, counts in rows).scores(),
    }


def report(rows: Sequence[tuple[str, Counts]]) -> str:
    """
    Returns rows of treebanks, columns of metrics with two decimals, and the averages of several.
    """
    lines: list[tuple[str, dict[str, float]]] = [(name, c.scores()) for name, c in rows]
    if len(rows) > 1:
        lines += [(f"{name} average", scores) for name, scores in averages(rows).items()]
    width = max(len("treebank"), *(len(name) for name, _ in lines))
    head = "treebank".ljust(width) + "".join(f"{metric:>10}" for metric in METRICS)
    body = [
        name.ljust(width) + "".join(f"{scores[metric]:10.2f}" for metric in METRICS)
        for name, scores in lines
    ]
    return "\n".join([head, *body]) + "\n"
