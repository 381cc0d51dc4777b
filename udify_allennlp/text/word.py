"""A word of a parsed sentence, with its place in the tree."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional

from udify_allennlp.text.misc_column import entries

_SURE = "Prob"
_NUMBER = re.compile(r"[01]\.\d+$")


@dataclass(eq=False)
class Word:
    """
    One syntactic word and its place in the tree. A column without a value is `_`.
    `dataclasses.asdict` returns the columns as a dictionary.
    """

    id: int
    """The number of the word, from 1."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: dict[str, str]
    """Features, such as `{"Number": "Plur"}`; empty if there are none."""
    head: Optional[int]
    """Id of the head; 0 for the root, `None` if the model does not predict trees."""
    deprel: str
    misc: str
    start: Optional[int] = None
    """
    Start of the word in the raw text, in characters; `None` if it comes from no raw text. The words
    of a multiword token share its place.
    """
    end: Optional[int] = None
    """The position after its last character."""

    def __post_init__(self) -> None:
        # No field: a tree has words, which have a tree, and `asdict` would go round.
        self._tree: Optional[_Tree] = None

    @property
    def text(self) -> str:
        """The form, under the name used in Stanza and spaCy."""
        return self.form

    @property
    def probabilities(self) -> dict[str, float]:
        """
        The confidence of a parser with `probabilities` in each prediction, `{"upos": 0.98, "head":
        0.91, ...}`; for the deprel, given that the head is correct; empty otherwise.
        """
        cells = entries(self.misc).items()
        ours = {name.removesuffix(_SURE): cell for name, cell in cells if name.endswith(_SURE)}
        return {name.lower(): float(cell) for name, cell in ours.items() if _NUMBER.match(cell)}

    @property
    def parent(self) -> Optional["Word"]:
        """The head; `None` for the root."""
        if self._tree is None or not self.head:
            return None
        return self._tree.words[self.head - 1]

    @property
    def children(self) -> list["Word"]:
        """The dependents, in the order of the text."""
        return [] if self._tree is None else list(self._tree.children.get(self.id, ()))

    @property
    def ancestors(self) -> list["Word"]:
        """The head, its head, and so on to the root."""
        ancestors: list[Word] = []
        word = self.parent
        while word is not None and word is not self and word not in ancestors:
            ancestors.append(word)
            word = word.parent
        return ancestors

    @property
    def descendants(self) -> list["Word"]:
        """All words below this one, in the order of the text."""
        return [word for word in self.subtree if word is not self]

    @property
    def subtree(self) -> list["Word"]:
        """This word and all below it, in the order of the text."""
        below = {self.id: self}
        waiting = [self]
        while waiting:
            new = [word for word in waiting.pop().children if word.id not in below]
            below.update((word.id, word) for word in new)
            waiting += new
        return [below[number] for number in sorted(below)]


class _Tree(NamedTuple):
    words: Sequence[Word]
    children: Mapping[int, Sequence[Word]]
    """Dependents by the id of the head."""


def connect(words: Sequence[Word]) -> None:
    """Connects the words of a sentence to their heads and their dependents."""
    children: dict[int, list[Word]] = {}
    for word in words:
        if word.head:
            children.setdefault(word.head, []).append(word)
    for word in words:
        word._tree = _Tree(words, children)
