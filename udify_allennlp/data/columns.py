"""The names of columns, in tables, in batches and in the vocabulary."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Optional, Protocol

UNSEEN = -1
"""The number of a string that the vocabulary lacks: excluded from every loss, never predicted."""
UNLABELLED = ""
"""Mark for a missing label in a column: nothing is learned from it, and the vocabulary lacks it."""
TREEBANK, LANG = "treebank", "lang"
"""The columns of a sentence's origin; see `sentence_source.py`."""


class ColumnSpec(NamedTuple):
    """One named column of a table and of a batch."""

    name: str
    namespace: Optional[str] = None
    """The vocabulary's namespace for the values; `None`: they are numbers themselves."""
    unit: str = "word"
    """
    The unit with a value: each `word`, each `sentence`, or `row`: any number per sentence, such as
    its spans.
    """


class Numbers(Protocol):
    """The numbers of strings by namespace: AllenNLP's `Vocabulary`, or `VocabularyFolder`."""

    _oov_token: str

    def get_namespaces(self) -> Collection[str]: ...

    def get_token_to_index_vocabulary(self, namespace: str = ...) -> Mapping[str, int]: ...


def origin_names(vocab: Numbers, origin: str) -> list[str]:
    """
    Returns the treebanks or the languages of a vocabulary, each one place behind its number in
    batches: first `""`, the unknown one, whose number is `UNSEEN`.
    """
    numbers = vocab.get_token_to_index_vocabulary(f"{origin}_labels")
    return ["", *sorted(numbers, key=numbers.__getitem__)]


class HasColumns(Protocol):
    """A task, of which tables and batches hold some columns."""

    @property
    def specs(self) -> Sequence[ColumnSpec]: ...


def specs_of(tasks: Iterable[HasColumns]) -> tuple[ColumnSpec, ...]:
    """Returns the columns that tables and batches hold for some tasks, each name once."""
    return tuple({spec.name: spec for task in tasks for spec in task.specs}.values())
