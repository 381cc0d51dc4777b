"""Sentences as AllenNLP instances, for callers that need these: rows of a table."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Optional

import numpy
import torch
from allennlp.data import Field, Instance, Vocabulary
from allennlp.data.fields import MetadataField

from udify_allennlp.data.buckets import Sizes
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.table_builder import join
from udify_allennlp.data.tasks import Counter


class TableRow:
    """One sentence of a table."""

    def __init__(self, table: TreebankTable, row: int, schema: Schema) -> None:
        self.table = table
        self.row = row
        self.schema = schema
        self.vocab: Optional[Vocabulary] = None

    def count(self, counter: Counter) -> None:
        """Counts the strings that the vocabulary numbers."""
        values = {name: self.table.values(self.row, name) for name in _counted(self.schema)}
        start, end = self.table.word_offsets[self.row : self.row + 2]
        self.schema.count_vocab(counter, values, int(end - start))


@lru_cache(maxsize=4)  # asked for each sentence
def _counted(schema: Schema) -> list[str]:
    return [spec.name for spec in schema.specs if spec.namespace is not None]


class PartField(Field[Any]):
    """
    A field of a batch for one sentence. `Collator` makes the tensors, for all sentences and all
    names at once, so the loader does not need fields.

    # Parameters

    row : `TableRow`
    name : `str`
    counts : `bool`
        True if this field counts the sentence for the vocabulary.
    """

    __slots__ = ["row", "name", "counts"]

    def __init__(self, row: TableRow, name: str, counts: bool = False) -> None:
        self.row = row
        self.name = name
        self.counts = counts

    def count_vocab_items(self, counter: Counter) -> None:
        if self.counts:
            self.row.count(counter)

    def index(self, vocab: Vocabulary) -> None:
        self.row.vocab = vocab

    def get_padding_lengths(self) -> dict[str, int]:
        return {}

    def as_tensor(self, padding_lengths: dict[str, int]) -> "PartField":
        return self

    def batch_tensors(self, tensor_list: list["PartField"]) -> Any:
        return _collated([field.row for field in tensor_list])[self.name]

    def human_readable_repr(self) -> Any:
        return _plain(_collated([self.row])[self.name])

    def __str__(self) -> str:
        return f"{self.name} of {self.row.table.sentence(self.row.row)}"


class TableInstance(Instance):
    """
    One sentence of a table. Its fields are made on demand; a vocabulary is built without them.

    # Parameters

    table : `TreebankTable`
    row : `int`
    schema : `Schema`
    """

    __slots__ = ["_row", "_fields"]

    def __init__(self, table: TreebankTable, row: int, schema: Schema) -> None:
        self.indexed = False  # type: ignore[misc]  # a slot of AllenNLP's class
        self._row = TableRow(table, row, schema)
        self._fields: Optional[dict[str, Field]] = None

    @property
    def fields(self) -> dict[str, Field]:
        if self._fields is None:
            schema = self._row.schema
            names = ["layout"]
            names += ["wordpieces"] if schema.framing is not None else []
            optional = ("piece_nodes", "forms", "characters", "langs")
            names += [name for name in optional if getattr(schema, name)]
            names += [spec.name for spec in schema.target_specs]
            names += ["inputs"] if schema.input_specs else []
            sentence = self._row.table.sentence(self._row.row)
            self._fields = {"sentences": MetadataField(sentence)}
            self._fields.update(
                (name, PartField(self._row, name, counts=name == "layout")) for name in names
            )
        return self._fields

    def count_vocab_items(self, counter: Counter) -> None:
        if self._fields is not None:  # perhaps they were changed
            super().count_vocab_items(counter)
        else:
            self._row.count(counter)

    @property
    def size(self) -> Sizes:
        """The cost of the sentence: three numbers instead of three arrays."""
        rows = numpy.array([self._row.row])
        sizes = Collator(self._row.table, self._row.schema).sizes(rows)
        return Sizes(*(int(size[0]) for size in sizes))  # type: ignore[arg-type]


def _collated(rows: Sequence[TableRow]) -> dict[str, Any]:
    """Returns the batch of some sentences, of one table or of several."""
    tables = {id(row.table): row.table for row in rows}
    starts = dict(zip(tables, numpy.cumsum([0, *map(len, tables.values())]).tolist()))
    collate = Collator(join(tables.values()), rows[0].schema)
    if rows[0].vocab is not None:
        collate.index_with(rows[0].vocab)
    return collate([starts[id(row.table)] + row.row for row in rows])


def _plain(values: Any) -> Any:
    if isinstance(values, torch.Tensor):
        return values.tolist()
    if isinstance(values, dict):
        return {name: _plain(value) for name, value in values.items()}
    return values
