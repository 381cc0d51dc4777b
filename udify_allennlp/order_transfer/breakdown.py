"""Attachment by kinds of arcs: by type and direction, and by distance (Ahmad et al. 2019)."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import (
    NamedTuple,
    Optional,
)

from udify_allennlp.order_transfer.word_order import ArcType, arc_types, bucket
from udify_allennlp.text.conllu import check_tree
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import LEFT_OUT, attached

MODIFIER_FIRST, HEAD_FIRST = "mod-first", "head-first"


class Cell(NamedTuple):
    """
    Counts of gold arcs of one kind: all arcs, correct heads, and correct relations as well; for
    several parses, their means.
    """

    arcs: int
    heads: float
    both: float

    @property
    def uas(self) -> float:
        """UAS in percent."""
        return 100 * self.heads / self.arcs

    @property
    def las(self) -> float:
        """LAS in percent."""
        return 100 * self.both / self.arcs


Key = Callable[[Sentence], list[Optional[Hashable]]]
"""A function from a gold sentence to the kind of each word's arc; `None`: it is not counted."""


def breakdown(pairs: Iterable[tuple[Sentence, Sentence]], key: Key) -> dict[Hashable, Cell]:
    """
    Returns the cell of each kind of arc, from pairs of a gold sentence and its parse.

    # Raises

    `ConlluError` with file and line for a gold sentence that has no tree.
    """
    cells: dict[Hashable, Cell] = {}
    for gold, parsed in pairs:
        check_tree(gold)
        for kind, head, both in zip(key(gold), *attached(gold, parsed.heads, parsed.deprels)):
            if kind is not None:
                old = cells.get(kind, Cell(0, 0, 0))
                cells[kind] = Cell(old.arcs + 1, old.heads + head, old.both + both)
    return cells


def by_direction(kind: ArcType) -> Key:
    """
    Returns the kinds of arcs: one type, with the modifier first and with the head first (Table 10).
    """

    def key(gold: Sentence) -> list[Optional[Hashable]]:
        arcs = zip(arc_types(gold), map(int, gold.heads))
        return [
            (MODIFIER_FIRST if word < head else HEAD_FIRST) if arc_type == kind else None
            for word, (arc_type, head) in enumerate(arcs, start=1)
        ]

    return key


def total(cells: Iterable[Cell]) -> Cell:
    """Returns the sums, such as those of both directions of a type."""
    return Cell(*map(sum, zip(Cell(0, 0, 0), *cells)))


def mean(parses: Sequence[Mapping[Hashable, Cell]]) -> dict[Hashable, Cell]:
    """Returns the means over several parses of the same sentences, such as those of three seeds."""
    return {
        kind: Cell(
            cell.arcs,
            *(sum(parse[kind][part] for parse in parses) / len(parses) for part in (1, 2)),
        )
        for kind, cell in parses[0].items()
    }


def without_punct(key: Key) -> Key:
    """
    Returns the same kinds without the arcs of words with gold UPOS PUNCT or SYM, as in the scores.
    """

    def counted(gold: Sentence) -> list[Optional[Hashable]]:
        return [None if u in LEFT_OUT else kind for u, kind in zip(gold.upos, key(gold))]

    return counted


def by_distance(gold: Sentence) -> list[Optional[Hashable]]:
    """
    Returns arcs between words by the distance of modifier and head, in `BUCKETS` (section 4.3.4).
    """
    return [bucket(word, int(head)) for word, head in enumerate(gold.heads, start=1)]
