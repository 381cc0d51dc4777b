"""
The measures of the CoNLL 2018 shared task (universaldependencies.org/conll18/evaluation.html), of
sentences of one text.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from udify_allennlp.scoring.counts import METRICS, SEGMENTATION, count, f1
from udify_allennlp.scoring.document import Document
from udify_allennlp.scoring.undefined_scores import NOTE, macro_average
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.sentence import Sentence

__all__ = [
    "METRICS",
    "SEGMENTATION",
    "flat_tree",
    "official_counts",
    "official_scores",
    "report",
    "scores_of",
    "segmentation_counts",
]


def official_scores(
    gold: Iterable[Sentence], predicted: Iterable[Sentence], name: str
) -> dict[str, float]:
    """
    F1 in per cent, by metric, of the `predicted` sentences as they would be written.

    # Raises

    `ValueError`, with `name`, if they are of another text, or the heads of a sentence are no tree.
    """
    scores = scores_of(official_counts(gold, predicted, name))
    return {metric: scores[metric] for metric in METRICS}


def official_counts(
    gold: Iterable[Sentence], predicted: Iterable[Sentence], name: str
) -> np.ndarray:
    """
    Returns the result of `count` for the sentences: `(sentences, metrics, 3)`, from which
    `scores_of` computes scores of all or of some of them. Raises as `official_scores`.
    """
    try:
        documents = Document(gold), Document(predicted)
    except ConlluError as error:
        raise ValueError(f"{name}: cannot be scored: {error}") from None
    difference = _difference(*documents)
    if difference:
        raise ValueError(f"{name}: cannot be scored: {difference}. Parse the same text.")
    return count(*documents)


def segmentation_counts(
    gold: Iterable[Sentence], predicted: Iterable[Sentence], name: str
) -> np.ndarray:
    """
    The same for sentences whose trees do not matter and may be missing: all but the first three,
    `SEGMENTATION`, says nothing.
    """
    return official_counts(map(flat_tree, gold), map(flat_tree, predicted), name)


def flat_tree(sentence: Sentence) -> Sentence:
    """The measures take trees only: here one in which all hang from the first word."""
    heads = ["0", *["1"] * (len(sentence) - 1)]
    return sentence.replace(heads=heads)


def scores_of(counts: np.ndarray) -> dict[str, float]:
    """F1 in per cent, by metric, of counts of sentences `(sentences, metrics, 3)`."""
    return dict(zip(SEGMENTATION + METRICS, f1(counts.sum(axis=0)).tolist()))


def _difference(gold: Document, system: Document) -> str:
    """Describes the first difference between the texts; empty if there is none."""
    ours, theirs = gold.characters, system.characters
    if ours == theirs:
        return ""
    shorter = min(len(ours), len(theirs))
    at = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
    seen = [repr(text[at : at + 20]) if text[at:] else "nothing" for text in (ours, theirs)]
    where = gold.where(at)
    return f"the texts differ{where}: gold goes on with {seen[0]}, the other with {seen[1]}"


def report(
    rows: Sequence[tuple[str, dict[str, float]]],
    metrics: Sequence[str] = METRICS,
    average: bool = True,
) -> str:
    """
    Rows of treebanks, columns of metrics with two decimals, and the macro average of several. Where
    a row lacks a metric stands `-`.
    """
    if average and len(rows) > 1:
        rows = [*rows, ("macro average", macro_average(rows, metrics))]
    width = max(len("treebank"), *(len(name) for name, _ in rows))
    head = ("treebank" if average else "file").ljust(width)
    wide = {metric: max(10, len(metric) + 2) for metric in metrics}
    lines = [head + "".join(f"{metric:>{wide[metric]}}" for metric in metrics)]
    for name, scores in rows:
        cells = ((f"{scores[m]:.2f}" if m in scores else "-", wide[m]) for m in metrics)
        lines.append(name.ljust(width) + "".join(f"{cell:>{size}}" for cell, size in cells))
    if any(metric not in scores for _, scores in rows for metric in metrics):
        lines.append(NOTE)
    return "\n".join(lines) + "\n"
