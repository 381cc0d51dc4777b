"""The labels of each language, or each treebank, in the training data, as masks of scores."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Optional

import numpy
import torch
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import LANG, origin_names
from udify_allennlp.data.own_labels import further_origins, namespace
from udify_allennlp.data.vocabulary_entries import entries


class OwnLabels:
    """
    The labels that each origin, a language or a treebank, has in the training data.

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
        self.origin = origin
        self.names = origin_names(vocab, origin)
        # Number 0 is the unknown origin; in batches it is UNSEEN, -1.
        self.numbers = {name: number for number, name in enumerate(self.names) if number}
        self._vocab, self._pairs, self._labels = vocab, pairs, labels
        # Made when it is needed: a text has few of the languages of a model.
        self._mask = cache(self._mask_of)
        self.all_masks: Optional[torch.Tensor] = None
        """The masks of all origins, `(origins, labels)`, while a model is exported."""

    def of_words(self, inputs: Mapping[str, Any], sentence_of: torch.Tensor) -> torch.Tensor:
        """
        Returns the origin of each word, `(words,)`, 0 is unknown, given the `inputs` of a batch and
        the sentence of each word.
        """
        return origin_of_words(inputs, self.origin, sentence_of)

    def possible(self, origins: torch.Tensor) -> torch.Tensor:
        """Returns the numbers of the labels that any of some origins `(n,)` has, ascending."""
        masks, _ = self._masks(origins)
        return masks.any(0).nonzero().flatten()

    def has(self, origins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Returns whether origins `(n,)` have labels `(n,)`."""
        masks, rows = self._masks(origins)
        return masks[rows, labels]

    def mask_others(
        self, scores: torch.Tensor, origins: torch.Tensor, labels: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        """
        Returns scores `(n, labels)` with -inf where origins `(n,)` lack a label; of all labels, or
        of those with these numbers.
        """
        masks, rows = self._masks(origins)
        masks = masks if labels is None else masks[:, labels]
        return scores.masked_fill(~masks[rows], -torch.inf)

    def _masks(self, origins: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns a mask of labels for each of the different origins, `(different, labels)`, and the
        row of each origin `(n,)` in it.
        """
        if self.all_masks is not None:
            return self.all_masks, origins
        numbers, rows = origins.unique(return_inverse=True)
        masks = [self._mask(number) for number in numbers.tolist() or [0]]
        return torch.stack(masks).to(origins.device), rows

    def make_all(self) -> None:
        """Makes `all_masks`, so that operations do not depend on the origins of a batch."""
        self.all_masks = torch.stack([self._mask(number) for number in range(len(self.names))])

    def _mask_of(self, number: int) -> torch.Tensor:
        """
        Returns whether an origin has each label, `(labels,)`: all labels for the unknown one, and
        for one of which no label is known.
        """
        own: set[str] = set()
        if number:
            name = self.names[number]
            for each in (name, *further_origins(self._vocab, self._pairs, name)):
                own.update(entries(self._vocab, self._pairs, each))
        mask = torch.from_numpy(numpy.fromiter(map(own.__contains__, self._labels), bool))
        return mask if mask.any() else torch.ones_like(mask)


def of_languages(vocab: Vocabulary, task_labels: str, labels: Sequence[str]) -> Optional[OwnLabels]:
    """Returns the labels of each language; `None` unless the reader's `own_labels` is set."""
    pairs = namespace(task_labels)
    if pairs not in vocab.get_namespaces():
        return None
    return OwnLabels(vocab, LANG, pairs, labels)


def origin_of_words(
    inputs: Mapping[str, Any], origin: str, sentence_of: torch.Tensor
) -> torch.Tensor:
    """
    Returns the language or treebank, `origin`, of each word, `(words,)`, 0 is unknown, given the
    `inputs` of a batch and the sentence of each word.
    """
    of_sentences: torch.Tensor = inputs[origin] + 1
    return of_sentences[sentence_of]


def names_of_words(names: Sequence[str], numbers: Optional[torch.Tensor], count: int) -> list[str]:
    """
    Returns the origins of words, given all `names` and the words' numbers, `(count,)`; empty
    without numbers.
    """
    return [""] * count if numbers is None else [names[number] for number in numbers.tolist()]
