"""
Extension points, through which lower packages call higher ones. Imports point downwards, so a lower
package that needs something from a higher one (such as the tokenizer inside an archive) reads an
extension point, to which the higher package adds when it is imported.
"""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast

Item = TypeVar("Item")
Added = TypeVar("Added")

POINTS: dict[str, "ExtensionPoint[Any]"] = {}
"""All extension points by name."""


class ExtensionPoint(Generic[Item]):
    """
    A named list of functions or classes that higher packages add to.

    # Parameters

    name : `str`
        A unique name within the package.
    """

    def __init__(self, name: str) -> None:
        assert name not in POINTS, name
        self._items: list[Item] = []
        POINTS[name] = self

    def add(self, item: Added) -> Added:
        """Adds an `Item`, once, and returns it, as a decorator that keeps its type."""
        if item not in self._items:
            self._items.append(cast(Item, item))
        return item

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)
