"""
Undefined scores of the CoNLL 2018 measures: a column that is missing in gold, or copied from gold
because no model predicts it, is correct for any parser.
"""

from collections.abc import Callable, Container, Iterable, Sequence

from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import universal_feats

LOOKS_AT: dict[str, tuple[str, ...]] = {
    "UPOS": ("upos",),
    "XPOS": ("xpos",),
    "UFeats": ("feats",),
    "AllTags": ("upos", "xpos", "feats"),
    "Lemmas": ("lemmas",),
    "UAS": ("heads",),
    "LAS": ("heads", "deprels"),
    "CLAS": ("heads", "deprels"),
    "MLAS": ("heads", "deprels", "upos", "feats"),
    "BLEX": ("heads", "deprels", "lemmas"),
}
"""The columns that each metric scores."""
COLUMNS = ("upos", "xpos", "feats", "lemmas", "heads", "deprels")
NOTE = "-: not available (missing in gold or predictions); excluded from averages"
"""The note under a table with a `-`."""


def filled(sentences: Iterable[Sentence]) -> set[str]:
    """
    Returns those of `COLUMNS` in which a word has a value that is scored (for FEATS, a universal
    one).
    """
    missing = set(COLUMNS)
    for sentence in sentences:
        missing -= {name for name in missing if any(map(_HAS[name], getattr(sentence, name)))}
        if not missing:
            break
    return set(COLUMNS) - missing


def kept(golds: Sequence[Sentence], parsed: Sequence[Sentence]) -> set[str]:
    """
    Returns those of `COLUMNS` in which all words of a parse equal gold, like columns that a parser
    of gold CoNLL-U did not predict. If all columns do, the file is gold itself, and the result is
    empty.
    """

    def cells(sentences: Sequence[Sentence], name: str) -> list[str]:
        return [cell for sentence in sentences for cell in getattr(sentence, name)]

    equal_columns = {name for name in COLUMNS if cells(golds, name) == cells(parsed, name)}
    return equal_columns if equal_columns != set(COLUMNS) else set()


def honest(scores: dict[str, float], columns: Container[str]) -> dict[str, float]:
    """Returns the scores that depend only on `columns`; those of segmentation depend on none."""
    return {
        metric: score
        for metric, score in scores.items()
        if all(column in columns for column in LOOKS_AT.get(metric, ()))
    }


def macro_average(
    rows: Sequence[tuple[str, dict[str, float]]], metrics: Sequence[str]
) -> dict[str, float]:
    """Returns the unweighted mean of each metric over the treebanks that have it."""
    averages: dict[str, float] = {}
    for metric in metrics:
        scores: list[float] = [row[metric] for _, row in rows if metric in row]
        if scores:
            averages[metric] = sum(scores) / len(scores)
    return averages


def _has_value(cell: str) -> bool:
    return cell != "_"


def _has_universal_feats(cell: str) -> bool:
    return bool(universal_feats(cell))


_HAS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(COLUMNS, _has_value),
    "feats": _has_universal_feats,
}
