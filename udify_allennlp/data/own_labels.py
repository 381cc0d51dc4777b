"""The labels of each language, or each treebank, in the training data."""

from collections.abc import Iterable
from typing import Optional

from udify_allennlp.data.columns import LANG, UNLABELLED, Numbers, origin_names
from udify_allennlp.data.inflections import has_inflections
from udify_allennlp.data.known_words import KNOWN
from udify_allennlp.data.vocabulary_entries import has_entries
from udify_allennlp.text.relatives import all_nearest


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


def further_origins(vocab: Numbers, pairs: str, lang: str) -> list[str]:
    """
    Returns the languages whose labels a language may have beside its own in such a namespace: of a
    handful of sentences, training has too few. Of features these are its nearest relatives', of
    parts of speech those of all languages. Without `KnownWords` an archive keeps its predictions.
    """
    if not has_inflections(lang) or not has_entries(vocab, KNOWN):
        return []
    others = [each for each in origin_names(vocab, LANG) if each not in ("", lang)]
    if pairs == namespace("upos_labels"):
        return others
    return all_nearest(lang, others) if pairs == namespace("feats_labels") else []
