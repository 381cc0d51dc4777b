"""The layout of words or wordpieces: as one sequence, and as the nodes of their sentences."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Optional

import torch


class Layout(NamedTuple):
    """
    Words of all sentences in one sequence, without padding, so that layers on single words compute
    nothing for padding. Layers on sentences gather their nodes, ROOT and the words, with `nodes`.
    The indices are made with the batch, on the CPU, so that no step has to wait for a GPU to count
    words.

    In a layout of wordpieces, all wordpieces replace the words, without special pieces, and each of
    a long sentence once, for any number of windows. "Word" below then means wordpiece; `word_of`
    and `first_of` map one unit to the other.

    Rows are ROOT and then all words, `(1 + words, ...)`, one ROOT for all sentences; or, in a
    layout made by `with_own_roots`, the ROOT of each sentence and then all words,
    `(batch + words, ...)`.
    """

    nodes: torch.Tensor
    """`(batch, n + 1)`: the row of each node in [ROOT, word 1, ...]; arbitrary for padding."""
    places: torch.Tensor
    """`(words,)`: the position of each word in `nodes.flatten()`."""
    word_of: Optional[torch.Tensor] = None
    """
    The number of each wordpiece's word in the batch, from 1. In a layout of words it is `(windows,
    pieces)`, with 0 for special pieces and padding, or `None` if the encoder has no wordpieces, or
    the reader does not provide it. In a layout of wordpieces it is `(pieces,)`.
    """
    first_of: Optional[torch.Tensor] = None
    """
    In a layout of wordpieces, `(words,)`: the index of the first piece of each word among all
    pieces, from 0. `None` in a layout of words.
    """

    @classmethod
    def from_lengths(cls, lengths: Sequence[int]) -> "Layout":
        """Returns the layout of sentences with these numbers of words, at least one each."""
        numbers = torch.arange(max(lengths) + 1)
        is_word = (numbers > 0) & (numbers <= torch.tensor(lengths).unsqueeze(1))
        places = is_word.flatten().nonzero().flatten()
        nodes = torch.zeros(is_word.shape, dtype=torch.long)
        nodes.view(-1)[places] = torch.arange(1, len(places) + 1)
        return cls(nodes, places)

    def with_own_roots(self) -> "Layout":
        """
        Returns the same layout with a row for each sentence's own ROOT, before those of the words.
        """
        batch = len(self.nodes)
        nodes = self.nodes + (batch - 1) * self.nodes.sign()
        nodes[:, 0] = torch.arange(batch, device=nodes.device)
        return self._replace(nodes=nodes)

    @property
    def mask(self) -> torch.Tensor:
        """`(batch, n + 1)`, True on ROOT and on words."""
        mask = torch.zeros(self.nodes.shape, dtype=torch.bool, device=self.nodes.device)
        mask.view(-1).index_fill_(0, self.places, True)  # an assignment would wait for a GPU
        mask[:, 0] = True
        return mask

    @property
    def sentence_of(self) -> torch.Tensor:
        """`(words,)`: the sentence of each word, from 0."""
        return self.places // self.nodes.shape[1]

    def to_nodes(self, rows: torch.Tensor) -> torch.Tensor:
        """Returns rows as sentences, `(batch, n + 1, ...)`."""
        return rows.index_select(0, self.nodes.flatten()).unflatten(0, self.nodes.shape)

    def to_words(self, nodes: torch.Tensor) -> torch.Tensor:
        """
        Returns the values of words, `(words, ...)`, from those of all nodes, `(batch, n + 1, ...)`.
        """
        return nodes.flatten(0, 1).index_select(0, self.places)

    def rows_of(self, heads: torch.Tensor) -> torch.Tensor:
        """
        Returns the row of each word's head, `(words,)`; `heads` `(words,)` are numbers within the
        sentence.
        """
        root = self.places - self.places % self.nodes.shape[1]
        return self.nodes.flatten().index_select(0, root + heads)


def windows_of_some(
    pieces: Mapping[str, torch.Tensor], windows: torch.Tensor, words: torch.Tensor
) -> dict[str, torch.Tensor]:
    """
    Returns the `wordpieces` that `Collator` would make of these sentences alone, with their width.

    # Parameters

    pieces : `Mapping[str, torch.Tensor]`
        `ids` and `mask`, `(windows, width)`, and `first`, `(words,)`, of all sentences.
    windows, words : `torch.Tensor`
        `(windows,)` and `(words,)`, True on those of the sentences; one window at least.
    """
    mask = pieces["mask"][windows]
    width, old_width = int(mask.sum(1).max()), mask.shape[1]
    first = pieces["first"][words]
    window = (windows.long().cumsum(0) - 1).index_select(0, first // old_width)
    return {
        "ids": pieces["ids"][windows][:, :width],
        "mask": mask[:, :width],
        "first": window * width + first % old_width,
    }
