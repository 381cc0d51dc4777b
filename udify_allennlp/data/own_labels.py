"""The labels of each language, or each treebank, in the training data."""

from collections.abc import Iterable
from typing import Optional

from udify_allennlp.data.columns import LANG, UNLABELLED


def namespace(labels: str) -> str:
    """
    Returns the namespace of entries `language<tab>label`; `labels` is the namespace of the labels.
    """
    return f"{LANG}_{labels}"


def count(counts: dict[str, int], lang: str, labels: Iterable[str], missing: Optional[str]) -> None:
    """Counts the labels of some words of a language for the vocabulary."""
    for label in labels:
        if lang and label not in (UNLABELLED, missing):
            counts[f"{lang}\t{label}"] += 1
