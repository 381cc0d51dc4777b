"""
The measures of the CoNLL 2018 shared task (universaldependencies.org/conll18/evaluation.html), for
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
    Returns F1 in percent, by metric, of the `predicted` sentences in their written form.

    # Raises

    `ValueError`, with `name`, if their text differs, or the heads of a sentence do not form a tree.
    """
    scores = scores_of(official_counts(gold, predicted, name))
    return {metric: scores[metric] for metric in METRICS}


def official_counts(
    gold: Iterable[Sentence], predicted: Iterable[Sentence], name: str
) -> np.ndarray:
    """
    Returns the result of `count` for the sentences: `(sentences, metrics, 3)`, from which
    `scores_of` computes scores of all or of some of them. Raises the errors of `official_scores`.
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
    Returns the same for sentences whose trees do not matter and may be missing: only the first
    three, `SEGMENTATION`, are meaningful.
    """
    return official_counts(map(flat_tree, gold), map(flat_tree, predicted), name)


def flat_tree(sentence: Sentence) -> Sentence:
    """
    Returns a sentence whose words all depend on the first word, since the measures need trees.
    """
    heads = ["0", *["1"] * (len(sentence) - 1)]
    return sentence.replace(heads=heads)


def scores_of(counts: np.ndarray) -> dict[str, float]:
    """Returns F1 in percent, by metric, for counts of sentences `(sentences, metrics, 3)`."""
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
    return f"the texts differ{where}: gold continues with {seen[0]}, the other with {seen[1]}"


def report(
    rows: Sequence[tuple[str, dict[str, float]]],
    metrics: Sequence[str] = METRICS,
    average: bool = True,
) -> str:
    """
    Returns rows of treebanks, columns of metrics with two decimals, and the macro average of
    several. A missing metric is `-`.
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
