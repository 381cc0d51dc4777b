"""The labels of spans, which a parser scores instead of phrases (Stern et al. 2017)."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from udify_allennlp.text.constituents.tree import (
    TOP,
    Phrase,
    PhraseTree,
    bare_label,
    in_order,
)

_JOINT = " "
"""The separator between the labels of a chain: labels contain no white space."""


class LabelledSpan(NamedTuple):
    """
    The phrases over the same words, joined into one: a parent with a single child is, with this
    child, the label `S VP`. Every set of words then has one label or none.
    """

    left: int
    """The fence before the first word; fence `i` stands after word `i`."""
    right: int
    label: str


def spans_of(tree: PhraseTree, function_tags: bool = False) -> list[LabelledSpan]:
    """
    Returns the labelled spans below `TOP`, by left fence, the longer first.

    # Parameters

    tree : `PhraseTree`
        A tree with one `TOP`.
    function_tags : `bool`
        True if labels keep the function tags that EVALB cuts off: `NP-SBJ`.
    """
    spans = []
    for words, phrases in groupby(tree.phrases[1:], key=lambda phrase: phrase[1:]):
        labels = [p.label if function_tags else bare_label(p.label) or p.label for p in phrases]
        if any(labels):
            spans.append(LabelledSpan(words[0] - 1, words[1], _JOINT.join(filter(None, labels))))
    return spans


def phrases_of(spans: Iterable[LabelledSpan], words: int) -> list[Phrase]:
    """
    Returns the phrases of a sentence of this many words, below `TOP`, in the order of `PhraseTree`.
    """
    return in_order([Phrase(TOP, 1, words), *_unjoined(spans)])


def _unjoined(spans: Iterable[LabelledSpan]) -> Iterator[Phrase]:
    for left, right, label in spans:
        for part in label.split(_JOINT):
            yield Phrase(part, left + 1, right)
