"""Phrase structure drawn at random."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from udify_allennlp.text.constituents.tree import Phrase, in_order


def draw_phrases(draw: Callable[..., Any], size: int, labels: Any) -> list[Phrase]:
    """Any nested phrases over `size` words, below one TOP, with labels of a strategy."""
    phrases = [Phrase("TOP", 1, size)]
    parts = [(1, size)]
    while parts:
        start, end = parts.pop()
        phrases += [Phrase(label, start, end) for label in draw(st.lists(labels, max_size=2))]
        if start < end:
            cut = draw(st.integers(start, end - 1))
            parts += (start, cut), (cut + 1, end)
    return in_order(phrases)
