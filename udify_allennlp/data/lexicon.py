"""The labels of each word form in the training data, as stored in the vocabulary."""

from collections.abc import Sequence
from typing import Optional

import numpy

from udify_allennlp.data.columns import LANG, UNLABELLED, Numbers
from udify_allennlp.text.lemma_rules import escape, unescape


def namespace(task: str) -> str:
    """
    Returns the vocabulary namespace of entries `form<tab>label`, with escaped white space in the
    form.
    """
    return f"{task}_lexicon_labels"


def namespace_by_language(task: str) -> str:
    """The same for entries `language<tab>form<tab>label`."""
    return f"{LANG}_{namespace(task)}"


def pair(form: str, label: str) -> str:
    """An entry of the vocabulary."""
    return f"{escape(form)}\t{label}"


def count(
    counts: dict[str, int],
    missing: Optional[str],
    forms: Sequence[str],
    labels: Sequence[str],
    lang: str = "",
) -> None:
    """
    Counts the labels of some words for the vocabulary, except `missing`, which marks missing
    annotation. With a language, for its namespace.
    """
    prefix = f"{lang}\t" if lang else ""
    for form, label in zip(forms, labels):
        if label not in (UNLABELLED, missing):
            counts[prefix + pair(form, label)] += 1


class Lexicon:
    """
    The labels of words in the training data: any other prediction for them is nearly always wrong.
    It is empty if the reader's `lexicon` does not name the task. If the vocabulary has it by
    language, forms of other languages do not count.

    # Parameters

    vocab : `Numbers`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, task: str, labels: Sequence[str]) -> None:
        numbers = {label: number for number, label in enumerate(labels)}
        self._size = len(labels)
        # By form, or by language and form; of each, the numbers of its labels.
        self._labels_of: dict[tuple[str, ...], tuple[int, ...]] = {}
        by_language = namespace_by_language(task)
        self.by_language = by_language in vocab.get_namespaces()
        """True if `excluded` takes languages."""
        chosen = by_language if self.by_language else namespace(task)
        for entry in vocab.get_token_to_index_vocabulary(chosen):
            *keys, label = entry.split("\t", 2 if self.by_language else 1)
            if label in numbers:  # those that the vocabulary of the task leaves out are not there
                key = tuple(map(unescape, keys))
                self._labels_of[key] = (*self._labels_of.get(key, ()), numbers[label])

    def __len__(self) -> int:
        """Returns the number of forms."""
        return len(self._labels_of)

    def excluded(
        self, forms: Sequence[str], best: Sequence[int], langs: Sequence[str] = ()
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Returns, for words with their most probable labels and, if the lexicon is by language, their
        languages: the places of those whose form has other labels, and the labels that it lacks,
        `(places, labels)`, True for a missing label.
        """
        keys = zip(langs, forms) if self.by_language else zip(forms)
        labels_at = {
            place: self._labels_of[key]
            for place, (key, label) in enumerate(zip(keys, best))
            if label not in self._labels_of.get(key, (label,))
        }
        excluded = numpy.ones((len(labels_at), self._size), dtype=bool)
        for row, labels in enumerate(labels_at.values()):
            excluded[row, list(labels)] = False
        return numpy.array(list(labels_at), dtype=numpy.int64), excluded
