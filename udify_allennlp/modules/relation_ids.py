"""
Dependency graphs as ids of pairs: the one place that fixes what direction is (Mohammadshahi 2023,
sections 2.4 and 3.3.1).

An arc from head `h` to dependent `d` with label `l` of `0 .. num_labels - 1` makes `ids[h, d]` `1 +
l` and `ids[d, h]` `1 + l + num_labels`; the query is first. 0 is NONE. Without labels, `num_labels`
is 1 and the ids are 0, 1, 2. The released code of RNGTr uses rows of dependents instead, which only
changes the order of the rows of the tables.
"""

from typing import NamedTuple

import torch
from allennlp.common.checks import ConfigurationError

NO_ARC = -1
"""Placeholder for a missing label or head."""
POLICIES = ("special_label", "one_label", "copy_label", "all_pairs")


def relation_rows(num_labels: int, policy: str = "all_pairs") -> int:
    """Returns the number of ids, `2 |L| + 1`; `special_label` adds a label to the `num_labels`."""
    return 2 * (num_labels + (policy == "special_label")) + 1


def relation_ids(heads: torch.Tensor, labels: torch.Tensor, num_labels: int) -> torch.Tensor:
    """
    Returns ids `(batch, n, n)` of graphs in which each node has at most one head: `heads` and
    `labels` `(batch, n)`, int64; where the label is `NO_ARC` (ROOT, padding), the head is ignored.
    Heads need not form a tree. Two nodes that are each other's heads would need two ids in one
    cell: both cells are NONE, as in the released code; the thesis does not mention this case. A
    loop is NONE, too.
    """
    is_arc = labels != NO_ARC
    source = torch.where(is_arc, labels + 1, 0).unsqueeze(1)
    target = torch.where(is_arc, heads, 0).unsqueeze(1)
    to_dependent = labels.new_zeros(*labels.shape, labels.shape[1])
    to_dependent.scatter_(1, target, source)  # a column for each dependent: none is written twice
    to_head = torch.where(to_dependent > 0, to_dependent + num_labels, 0).transpose(1, 2)
    both = (to_dependent > 0) & (to_head > 0)
    return (to_dependent + to_head).masked_fill(both, 0)


def graph_of(ids: torch.Tensor, num_labels: int) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Returns heads and labels `(batch, n)`, recovered from ids; `NO_ARC` in both where a node has no
    head.
    """
    is_arc = (ids > 0) & (ids <= num_labels)
    heads = is_arc.int().argmax(1)
    labels = ids.gather(1, heads.unsqueeze(1)).squeeze(1) - 1
    has_head = is_arc.any(1)
    return heads.masked_fill(~has_head, NO_ARC), labels.masked_fill(~has_head, NO_ARC)


class Graph(NamedTuple):
    """A graph for each sentence in which every word has one head, possibly a tree."""

    heads: torch.Tensor
    """`(batch, nodes)`, int64: ROOT is 0, words are 1..n."""
    labels: torch.Tensor
    """`(batch, nodes)`, int64: `NO_ARC` on ROOT and on padding."""

    def same(self, other: "Graph") -> torch.Tensor:
        """Returns a mask of the sentences whose arcs and labels are all the same, `(batch,)`."""
        is_arc = self.labels != NO_ARC
        equal = (self.heads == other.heads) & (self.labels == other.labels)
        return (equal | ~is_arc).all(1) & (is_arc == (other.labels != NO_ARC)).all(1)


class PieceNodes(NamedTuple):
    """The node of each wordpiece, and the first wordpiece of each node."""

    node_of: torch.Tensor
    """`(batch, pieces)`: ROOT is 0, words are 1..n; `NO_ARC` on special pieces and padding."""
    first_of: torch.Tensor
    """
    `(batch, nodes)`: the first piece of each node; the number of pieces if it has none, as in a
    window with a part of the sentence.
    """

    @classmethod
    def of(cls, node_of: torch.Tensor, nodes: int) -> "PieceNodes":
        """Returns the layout with the first pieces of this many nodes."""
        width = node_of.shape[1]
        places = torch.arange(width, device=node_of.device).expand_as(node_of)
        places = places.masked_fill(node_of == NO_ARC, width)
        first = torch.full((len(node_of), nodes), width, device=node_of.device)
        return cls(node_of, first.scatter_reduce(1, node_of.clamp(min=0), places, "amin"))


def piece_relation_ids(
    heads: torch.Tensor, labels: torch.Tensor, pieces: PieceNodes, num_labels: int, policy: str
) -> torch.Tensor:
    """
    Returns ids `(batch, pieces, pieces)` of graphs over words, `heads` and `labels` `(batch,
    nodes)`.

    - `special_label`: an arc joins the first pieces of its words; every other piece has the first
      piece of its word as its head, with a separate label, the last (sections 2.4.3 and 3.3.1).
    - `one_label`: the same with the first label, for graphs with only one (three ids; released code
      of SentTr).
    - `copy_label`: every piece of a word has the word's label, and the first piece of its head as
      its head (an option of the released code).
    - `all_pairs`: each piece of one word and each of the other have the relation of the words;
      pieces of the same word have none (section 4.4).

    An arc from a node without a piece is left out.

    # Raises

    `ConfigurationError` for an unknown policy.
    """
    if policy not in POLICIES:
        raise ConfigurationError(f"policy is {policy!r}. Use one of {', '.join(POLICIES)}.")
    is_piece = pieces.node_of != NO_ARC
    node = pieces.node_of.clamp(min=0)
    if policy == "all_pairs":
        of_words = relation_ids(heads, labels, num_labels)
        rows = of_words.gather(1, node.unsqueeze(2).expand(-1, -1, of_words.shape[2]))
        ids = rows.gather(2, node.unsqueeze(1).expand(-1, node.shape[1], -1))
        return ids.masked_fill(~(is_piece.unsqueeze(1) & is_piece.unsqueeze(2)), 0)
    head_node = heads.clamp(min=0).gather(1, node)
    head_piece = pieces.first_of.gather(1, head_node)
    is_there = is_piece & (head_piece < node.shape[1])
    label = labels.gather(1, node).masked_fill(~is_there, NO_ARC)
    if policy == "copy_label":
        return relation_ids(head_piece, label, num_labels)
    own_first = pieces.first_of.gather(1, node)
    is_first = own_first == torch.arange(node.shape[1], device=node.device)
    inside = is_piece & ~is_first
    head_piece = torch.where(inside, own_first, head_piece)
    special = policy == "special_label"
    label = torch.where(inside, num_labels if special else 0, label)
    return relation_ids(head_piece, label, num_labels + special)
