"""Where the words of a batch stand: one after the other, and as the nodes of their sentences."""

from typing import NamedTuple

import torch


class Layout(NamedTuple):
    """
    Words of all sentences stand in one row, without padding: what looks at words one by one pays
    for words only. What needs sentences gathers them with `nodes`. The indices are made with the
    batch, on the CPU, so that no step has to wait for a GPU to count words.
    """

    nodes: torch.Tensor
    """`(batch, n + 1)`: the row of each node in [ROOT, word 1, ...]; padding is 0, as ROOT is."""
    places: torch.Tensor
    """`(words,)`: where each word stands in `nodes.flatten()`."""

    @property
    def mask(self) -> torch.Tensor:
        """`(batch, n + 1)`, True on ROOT and on words."""
        mask = self.nodes > 0
        mask[:, 0] = True
        return mask

    def to_nodes(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows of ROOT and the words, `(1 + words, ...)`, as sentences, `(batch, n + 1, ...)`."""
        return rows.index_select(0, self.nodes.flatten()).unflatten(0, self.nodes.shape)

    def to_words(self, nodes: torch.Tensor) -> torch.Tensor:
        """Of values for all nodes, `(batch, n + 1, ...)`, those of words: `(words, ...)`."""
        return nodes.flatten(0, 1).index_select(0, self.places)

    def rows_of(self, heads: torch.Tensor) -> torch.Tensor:
        """The row of each word's head, `(words,)`; `heads` `(words,)` count in the sentence."""
        root = self.places - self.places % self.nodes.shape[1]
        return self.nodes.flatten().index_select(0, root + heads)
