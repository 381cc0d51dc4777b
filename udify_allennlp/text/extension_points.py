"""
Extension points, with which lower rooms call upper ones. An import points down the floors, so a
lower room that needs what only a higher one has (the tokenizer inside an archive, say) reads an
extension point, and the higher room adds to it when it is imported.
"""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast

Item = TypeVar("Item")
Added = TypeVar("Added")

POINTS: dict[str, "ExtensionPoint[Any]"] = {}
"""All extension points by name."""


class ExtensionPoint(Generic[Item]):
    """
    A named list of functions or classes that upper rooms add to.

    # Parameters

    name : `str`
        Unique within the package.
    """

    def __init__(self, name: str) -> None:
        assert name not in POINTS, name
        self._items: list[Item] = []
        POINTS[name] = self

    def add(self, item: Added) -> Added:
        """Adds an `Item`, once, and returns it: a decorator that keeps the type of the item."""
        if item not in self._items:
            self._items.append(cast(Item, item))
        return item

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)
