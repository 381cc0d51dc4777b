"""A part of the training examples for the selection of the best epoch."""

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar


class _Sourced(Protocol):
    @property
    def source(self) -> str: ...


Example = TypeVar("Example", bound=_Sourced)
_SHARE = 10


def split(examples: Sequence[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """
    Returns the examples to train on, and those held out, a tenth or a little more. Examples of one
    source (a premise, a paragraph) stay together: the same text in both would flatter the scores.
    """
    sources = list(dict.fromkeys(example.source for example in examples))
    random.Random(seed).shuffle(sources)
    counts = dict.fromkeys(sources, 0)
    for example in examples:
        counts[example.source] += 1
    held: set[str] = set()
    number = 0
    for source in sources:
        if number * _SHARE >= len(examples):
            break
        held.add(source)
        number += counts[source]
    parts: tuple[list[Example], list[Example]] = ([], [])
    for example in examples:
        parts[example.source in held].append(example)
    return parts
