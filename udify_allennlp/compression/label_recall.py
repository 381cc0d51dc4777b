"""The share of correct words for each label, and classes of labels and treebanks."""

from collections import Counter
from collections.abc import Container, Iterable
from typing import Optional

from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import attached, universal_deprel

RARE = ((0.001, "below 0.1%"), (0.01, "0.1% to 1%"), (0.05, "1% to 5%"), (1.01, "from 5%"))
"""Classes of labels by their share of words: upper bounds and names."""
SIZES = (
    *((1_000, "to 1,000"), (10_000, "to 10,000"), (100_000, "to 100,000")),
    (float("inf"), "above 100,000"),
)
"""Classes of treebanks by their training words: maximums and names."""
NO_DATA = "none"
SIZE_CLASSES = (NO_DATA, *(name for _, name in SIZES))
SEEN, UNSEEN = "seen", "unseen"


class LabelCounts:
    """The numbers of words and of correct words, by gold label."""

    def __init__(self) -> None:
        self.words: dict[str, Counter[str]] = {"deprel": Counter(), "upos": Counter()}
        self.right: dict[str, Counter[str]] = {"deprel": Counter(), "upos": Counter()}

    def add(self, pairs: Iterable[tuple[Sentence, Sentence]], columns: Container[str]) -> None:
        """
        Counts gold sentences and their parses, of the same words. A word is correct by `deprel` if
        LAS counts it, without subtypes.

        # Parameters

        pairs : `Iterable[Tuple[Sentence, Sentence]]`
        columns : `Container[str]`
            The predicted columns: relations are counted if `heads` is among them, UPOS if `upos`
            is.
        """
        for gold, new in pairs:
            if "heads" in columns:
                _, is_attached = attached(gold, new.heads, new.deprels)
                for label, is_right in zip(gold.deprels, is_attached):
                    self._count("deprel", universal_deprel(label), is_right)
            if "upos" in columns:
                for label, upos in zip(gold.upos, new.upos):
                    self._count("upos", label, label == upos)

    def _count(self, column: str, label: str, is_right: bool) -> None:
        self.words[column][label] += 1
        self.right[column][label] += is_right

    def recall(self, column: str) -> dict[str, float]:
        """Returns the percentage of correct words for each label."""
        words, right = self.words[column], self.right[column]
        return {label: 100 * right[label] / words[label] for label in words}

    def rarity(self, column: str, label: str) -> str:
        """Returns the class of a label, by its share of all words."""
        share = self.words[column][label] / self.words[column].total()
        return next(name for limit, name in RARE if share < limit)


def size_class(words: Optional[int]) -> str:
    """Returns the class of a treebank by its training words; `None` if it was not in training."""
    if words is None:
        return NO_DATA
    return next(name for most, name in SIZES if words <= most)
