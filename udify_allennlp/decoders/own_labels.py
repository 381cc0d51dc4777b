"""The labels of each language, or each treebank, in the training data, as masks of scores."""

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy
import torch
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import LANG
from udify_allennlp.data.own_labels import namespace
from udify_allennlp.data.vocabulary_entries import entries


class OwnLabels(torch.nn.Module):
    """
    A table of the labels that each origin, a language or a treebank, has in the training data.

    # Parameters

    vocab : `Vocabulary`
    origin : `str`
        `lang` or `treebank`.
    pairs : `str`
        The namespace of entries `origin<tab>label`.
    labels : `Sequence[str]`
        All labels, in the order of their numbers.
    """

    def __init__(self, vocab: Vocabulary, origin: str, pairs: str, labels: Sequence[str]) -> None:
        super().__init__()
        self.origin = origin
        origins = vocab.get_token_to_index_vocabulary(f"{origin}_labels")
        # Number 0 is the unknown origin; in batches it is UNSEEN, -1.
        self.numbers = {name: index + 1 for name, index in origins.items()}
        self.names = ["", *sorted(origins, key=origins.__getitem__)]
        # NumPy sets single cells in a tenth of the time that PyTorch takes.
        cells = numpy.zeros((1 + len(origins), len(labels)), dtype=bool)
        places = {label: number for number, label in enumerate(labels)}
        for pair in entries(vocab, pairs):
            name, _, label = pair.partition("\t")
            if name in self.numbers and label in places:
                cells[self.numbers[name], places[label]] = True
        table = torch.from_numpy(cells)
        table[~table.any(1)] = True  # the unknown origin, and those of which no label is known
        self.table: torch.Tensor
        # Not saved: it follows from the vocabulary.
        self.register_buffer("table", table, persistent=False)

    def of_words(self, inputs: Mapping[str, Any], sentence_of: torch.Tensor) -> torch.Tensor:
        """
        Returns the origin of each word, `(words,)`, 0 is unknown, given the `inputs` of a batch and
        the sentence of each word.
        """
        of_sentences: torch.Tensor = inputs[self.origin] + 1
        return of_sentences[sentence_of]

    def possible(self, origins: torch.Tensor) -> torch.Tensor:
        """Returns the numbers of the labels that any of some origins `(n,)` has, ascending."""
        return self.table[origins.unique()].any(0).nonzero().flatten()

    def has(self, origins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Returns whether origins `(n,)` have labels `(n,)`."""
        return self.table[origins, labels]

    def mask_others(self, scores: torch.Tensor, origins: torch.Tensor) -> torch.Tensor:
        """Returns scores `(n, labels)` with -inf where origins `(n,)` lack a label."""
        return scores.masked_fill(~self.table[origins], -torch.inf)


def of_languages(vocab: Vocabulary, task_labels: str, labels: Sequence[str]) -> Optional[OwnLabels]:
    """Returns the labels of each language; `None` unless the reader's `own_labels` is set."""
    pairs = namespace(task_labels)
    if pairs not in vocab.get_namespaces():
        return None
    return OwnLabels(vocab, LANG, pairs, labels)
