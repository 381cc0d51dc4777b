"""A new task: one key of the MISC column, such as SpaceAfter. docs/add_a_task.md explains it."""

from collections.abc import Sequence

from udify_allennlp.data.tasks import LabelTask, Task
from udify_allennlp.text.sentence import Sentence


def value_of(misc: str, key: str) -> str:
    """Returns the value of `key` in a MISC cell; `_` if it has none."""
    found = (item.split("=", 1)[1] for item in misc.split("|") if item.startswith(f"{key}="))
    return next(found, "_")


def with_value(misc: str, key: str, value: str) -> str:
    """Returns the cell with another value of `key`; `_` removes the key."""
    others = [item for item in misc.split("|") if item != "_" and not item.startswith(f"{key}=")]
    return "|".join(others + ([] if value == "_" else [f"{key}={value}"])) or "_"


@Task.register("misc")
class MiscKey(LabelTask):
    """The value of `key`, or `_` for none."""

    def __init__(self, key: str) -> None:
        super().__init__("misc", column="misc", metric=key)
        self.key = key

    def labels(self, sentence: Sentence) -> list[str]:
        return [value_of(cell, self.key) for cell in sentence.misc]

    def cells(self, sentence: Sentence, labels: Sequence[str]) -> list[str]:
        pairs = zip(sentence.misc, labels)
        return [with_value(cell, self.key, label) for cell, label in pairs]
