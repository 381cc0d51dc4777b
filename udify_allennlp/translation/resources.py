"""Resource classes of languages and of directions (Mohammadshahi 2023, sections 5.3.1 and 6.7)."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Optional

from udify_allennlp.text.line_reader import read_rows
from udify_allennlp.translation.aligned_text import Direction

CLASSES = ("VL", "L", "M", "H")
"""The classes: very low, low, medium and high."""
_MOST = (100_000, 1_000_000, 100_000_000)
"""Maximum numbers of pairs with English of the first three classes (Tables 5.1 and 6.1)."""
TABLE_6_2 = tuple(
    f"{source}2{target}"
    for source in CLASSES
    for target in CLASSES
    if {source, target} & {"VL", "L"}
)
"""The classes of directions whose mean is AVG in the table; those between M and H are excluded."""


def class_of_size(pairs: int) -> str:
    """Returns the resource class of a language, by its pairs with English, or of a pair."""
    return CLASSES[sum(pairs > most for most in _MOST)]


@cache
def known_classes() -> Mapping[str, str]:
    """Returns classes by language, for those of Table 6.4."""
    path = files("udify_allennlp.translation") / "resources.tsv"
    return {row["lang"]: row["class"] for row in read_rows(path)}


def direction_class(direction: Direction, classes: Mapping[str, str]) -> Optional[str]:
    """
    Returns the class of a direction, an ordered pair: `VL2H`. `None` if a language has no class.
    """
    if not all(lang in classes for lang in direction):
        return None
    return "2".join(classes[lang] for lang in direction)


def pair_class(direction: Direction, classes: Mapping[str, str]) -> Optional[str]:
    """Returns the class of a pair of languages, that of the poorer one (Tables 5.1 and 6.3)."""
    if not all(lang in classes for lang in direction):
        return None
    return min((classes[lang] for lang in direction), key=CLASSES.index)
