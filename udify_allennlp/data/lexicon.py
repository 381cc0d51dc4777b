"""Which labels each word form has in the training data, as the vocabulary keeps it."""

from collections.abc import Sequence

import torch
from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import UNLABELLED, LabelTask
from udify_allennlp.text.lemma_rules import escape, unescape


def namespace(task: str) -> str:
    """Of the vocabulary, where entries are `form<tab>label`, white space of the form escaped."""
    return f"{task}_lexicon_labels"


def pair(form: str, label: str) -> str:
    """An entry of the vocabulary."""
    return f"{escape(form)}\t{label}"


def count(
    counts: dict[str, int], task: LabelTask, forms: Sequence[str], labels: Sequence[str]
) -> None:
    """Count the labels of some words for the vocabulary; those that say nothing are left out."""
    for form, label in zip(forms, labels):
        if label not in (UNLABELLED, task.missing):
            counts[pair(form, label)] += 1


class Lexicon:
    """
    The labels that the words of the training data have there: what else a model says of them is
    nearly always wrong. It is empty where the reader's `lexicon` does not name the task.

    # Parameters

    vocab : `Vocabulary`
    task : `str`
    labels : `Sequence[str]`
        All labels of the task, in the order of their numbers.
    """

    def __init__(self, vocab: Vocabulary, task: str, labels: Sequence[str]) -> None:
        numbers = {label: number for number, label in enumerate(labels)}
        self._size = len(labels)
        self._labels_of: dict[str, tuple[int, ...]] = {}
        for entry in vocab.get_token_to_index_vocabulary(namespace(task)):
            form, _, label = entry.partition("\t")
            if label in numbers:  # those that the vocabulary of the task leaves out are not there
                form = unescape(form)
                self._labels_of[form] = (*self._labels_of.get(form, ()), numbers[label])

    def __len__(self) -> int:
        """How many forms."""
        return len(self._labels_of)

    def excluded(
        self, forms: Sequence[str], best: Sequence[int]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Of words and their most probable labels: the places of those whose form has other labels,
        and which labels it has not, `(places, labels)`, True where it has not.
        """
        found = {
            place: self._labels_of[form]
            for place, (form, label) in enumerate(zip(forms, best))
            if label not in self._labels_of.get(form, (label,))
        }
        excluded = torch.ones(len(found), self._size, dtype=torch.bool)
        for row, labels in enumerate(found.values()):
            excluded[row, list(labels)] = False
        return torch.tensor(list(found), dtype=torch.long), excluded
