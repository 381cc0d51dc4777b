"""Sentences of a table as AllenNLP instances, for those who ask for instances."""

from typing import Dict, Optional

from allennlp.data import Field, Instance
from allennlp.data.fields import MetadataField

from udify_allennlp.data.fields import ColumnField, HeadsField, TreebankField, WordpieceField
from udify_allennlp.data.spellings import CharactersField
from udify_allennlp.data.table import FORMS, TREEBANK, TreebankTable, namespace
from udify_allennlp.data.wordpieces import Framing


class TableInstance(Instance):
    """
    One sentence of a table; its fields are those that the reader gives, made when first asked for.

    A vocabulary is built without making them.

    # Parameters

    table : `TreebankTable`
    row : `int`
    framing : `Framing`
    """

    __slots__ = ["_table", "_row", "_framing", "_fields"]

    def __init__(self, table: TreebankTable, row: int, framing: Framing) -> None:
        self.indexed = False  # type: ignore[misc]  # a slot of AllenNLP's class
        self._table = table
        self._row = row
        self._framing = framing
        self._fields: Optional[Dict[str, Field]] = None

    @property
    def fields(self) -> Dict[str, Field]:  # type: ignore[override]
        if self._fields is None:
            self._fields = self._make()
        return self._fields

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        if self._fields is not None:  # perhaps they were changed
            super().count_vocab_items(counter)
            return
        for column in self._table.labels:
            if column in (FORMS, TREEBANK):
                self._field(column).count_vocab_items(counter)
                continue
            counts = counter[namespace(column)]
            for label in self._table.labels_of(self._row, column):
                counts[label] += 1

    def _make(self) -> Dict[str, Field]:
        table, row = self._table, self._row
        fields: Dict[str, Field] = {
            "wordpieces": WordpieceField(table.pieces_of(row), *self._framing),
            "sentences": MetadataField(table.sentence(row)),
        }
        if table.heads is not None:
            fields["heads"] = HeadsField(table.heads[table.words_of(row)].tolist())
        for column in table.labels:
            fields["characters" if column == FORMS else column] = self._field(column)
        return fields

    def _field(self, column: str) -> Field:
        table, names = self._table, self._table.labels_of(self._row, column)
        if column == FORMS:
            return CharactersField(names)
        if column == TREEBANK:
            xpos = table.labels_of(self._row, "xpos") if "xpos" in table.labels else []
            return TreebankField(names, xpos)
        return ColumnField(names, namespace(column))
