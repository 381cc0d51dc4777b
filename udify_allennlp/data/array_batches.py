"""Batches made directly from the columns of a table: the one description of a batch."""

from collections.abc import Sequence
from typing import Any, Optional

import numpy

from udify_allennlp.data.buckets import Sizes
from udify_allennlp.data.columns import LANG, UNSEEN, ColumnSpec, Numbers
from udify_allennlp.data.framing import Framing
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.spellings import Spellings
from udify_allennlp.data.table import FIRST, FORMS, PIECES, Sentences, TreebankTable, consecutive
from udify_allennlp.text.relatives import nearest


class ArrayCollator:
    """
    A collator of sentences of a table, whose batches hold NumPy arrays:

    - `layout`: `nodes` `(batch, n + 1)`, `places` `(words,)`, and `word_of` `(windows, width)` if
      requested; see `Layout`
    - `wordpieces`: `ids`, `mask` `(windows, width)`; `first` `(words,)`: each word's first piece in
      `ids.flatten()`; where the schema has a framing
    - `piece_nodes`: a layout of wordpieces, if requested: `nodes` `(batch, m + 1)`, `places`,
      `word_of` `(pieces,)` and `first_of` `(words,)`; see `Layout`. `wordpieces` then has `pieces`
      `(pieces,)`: each piece in `ids.flatten()`
    - `forms`: `strings`, each word form of the batch once, and `words` `(words,)`, the index of
      each word's form; if the schema has languages, `langs`, the language of each string: a form
      appears once for each language. `characters`: see `Spellings.batch`. Both if the schema
      requests them
    - `langs`: the language of each sentence, a string, if the schema has languages
    - each column of the targets, and under `inputs` each column of inputs and origins: int64
      numbers, `(words,)` for all words one after the other, or `(batch,)`; of rows, `values`
      `(rows,)` and `lengths` `(batch,)`. A string that the vocabulary lacks is `UNSEEN`; a language
      that it lacks has the number of the `nearest` one, if it exists
    - `sentences`: a sequence of `Sentence`

    Sentences longer than the encoder's positions are split into windows. A window holds
    `max_pieces` pieces including its two special pieces, and windows overlap by half. A piece is
    represented by the first window that keeps it: the first half of each window is kept, and all
    the rest of the last one (thesis, section 3.3.2: 512 and 256). Our choice: the thesis does not
    specify whether special pieces count; here every window is a complete input of the encoder, so
    they do, and its kept half is `max_pieces / 2` including the first of them.

    # Parameters

    table : `TreebankTable`
    schema : `Schema`
        The schema of the table, or one that requests less.
    """

    def __init__(self, table: TreebankTable, schema: Schema) -> None:
        self._table = table
        self._schema = schema
        self._numbers: dict[str, numpy.ndarray] = {}
        self._spellings: Optional[Spellings] = None

    def index_with(self, vocab: Numbers) -> None:
        """Numbers the strings and the characters with `vocab`."""
        for spec in (*self._schema.target_specs, *self._schema.input_specs):
            names: Sequence[Optional[str]] = self._table.columns[spec.name].names or []
            if spec.namespace is not None:
                numbers = vocab.get_token_to_index_vocabulary(spec.namespace)
                if spec.name == LANG:  # of its vocabulary the first has most words
                    names = [name and nearest(name, numbers) for name in names]
                self._numbers[spec.name] = numpy.array(
                    [UNSEEN if name is None else numbers.get(name, UNSEEN) for name in names],
                    dtype=numpy.int64,
                )
        if self._schema.characters:
            self._spellings = Spellings(self._table.columns[FORMS].names or [], vocab)

    def sizes(self, rows: Optional[numpy.ndarray] = None) -> Sizes:
        """
        Returns the sizes of sentences of the table, by default of all: in wordpieces or, without a
        framing, in words.
        """
        framing, table = self._schema.framing, self._table
        rows = numpy.arange(len(table)) if rows is None else rows
        offsets = table.word_offsets if framing is None else table.offsets(PIECES)
        pieces = offsets[rows + 1] - offsets[rows]
        if framing is None:
            return Sizes(numpy.ones_like(pieces), pieces, pieces)
        windows = framing.windows(pieces)
        overlap = (windows - 1) * (framing.size - framing.step)
        widths = numpy.minimum(pieces, framing.size) + 2
        return Sizes(windows, widths, pieces + overlap + 2 * windows)

    def __call__(self, rows: Sequence[int]) -> dict[str, Any]:
        """
        Returns the batch of the sentences `rows`.

        # Raises

        `ValueError` if there are strings or characters to number, but no vocabulary yet.
        """
        schema, table = self._schema, self._table
        chosen = numpy.asarray(rows, dtype=numpy.int64)
        word_start = table.word_offsets[chosen]
        lengths = table.word_offsets[chosen + 1] - word_start
        words = consecutive(word_start, lengths)
        layout = _nodes(lengths)
        batch: dict[str, Any] = {"layout": layout, "sentences": Sentences(table, rows)}
        if schema.framing is not None:
            batch.update(self._wordpieces(chosen, words, lengths, schema.framing, layout))
        if schema.forms:
            batch["forms"] = self._forms(chosen, words, lengths)
        if schema.characters:
            if self._spellings is None:
                raise ValueError("Characters have no numbers yet. Call index_with(vocab) first.")
            batch["characters"] = self._spellings.batch(table.columns[FORMS].codes[words])
        if schema.langs:
            column = table.columns[LANG]
            batch["langs"] = [(column.names or [])[code] for code in column.codes[chosen]]
        for spec in schema.target_specs:
            batch[spec.name] = self._column(spec, chosen, words)
        if schema.input_specs:
            batch["inputs"] = {
                spec.name: self._column(spec, chosen, words) for spec in schema.input_specs
            }
        return batch

    def _column(self, spec: ColumnSpec, rows: numpy.ndarray, words: numpy.ndarray) -> Any:
        column = self._table.columns[spec.name]
        numbers = None
        if spec.namespace is not None:
            if spec.name not in self._numbers:
                raise ValueError("Labels have no numbers yet. Call index_with(vocab) first.")
            numbers = self._numbers[spec.name]

        def of(places: numpy.ndarray) -> numpy.ndarray:
            codes = column.codes[places]
            return codes.astype(numpy.int64) if numbers is None else numbers[codes]

        if column.unit != "row":
            return of(words if column.unit == "word" else rows)
        start = self._table.offsets(spec.name)[rows]
        counts = self._table.offsets(spec.name)[rows + 1] - start
        return {"values": of(consecutive(start, counts)), "lengths": counts}

    def _forms(
        self, rows: numpy.ndarray, words: numpy.ndarray, lengths: numpy.ndarray
    ) -> dict[str, Any]:
        column = self._table.columns[FORMS]
        names, codes = column.names or [], column.codes[words].astype(numpy.int64)
        if self._schema.langs:
            of_words = numpy.repeat(self._table.columns[LANG].codes[rows], lengths)
            codes += of_words.astype(numpy.int64) * len(names)
        distinct, places = numpy.unique(codes, return_inverse=True)
        forms = {
            "strings": [names[code % len(names)] for code in distinct],
            "words": places.reshape(-1),
        }
        if self._schema.langs:
            langs = self._table.columns[LANG].names or []
            forms["langs"] = [langs[code // len(names)] for code in distinct]
        return forms

    def _wordpieces(
        self,
        rows: numpy.ndarray,
        words: numpy.ndarray,
        lengths: numpy.ndarray,
        framing: Framing,
        layout: dict[str, numpy.ndarray],
    ) -> dict[str, dict[str, numpy.ndarray]]:
        """`wordpieces`, and `piece_nodes`; `layout` gets `word_of`."""
        size, step = framing.size, framing.step
        offsets = self._table.offsets(PIECES)
        piece_start = offsets[rows]
        pieces = offsets[rows + 1] - piece_start
        windows = framing.windows(pieces)
        first_window = numpy.cumsum(windows) - windows
        # Of each window: its number within the sentence, and how many pieces it holds.
        number = consecutive(numpy.zeros_like(windows), windows)
        filled = numpy.minimum(numpy.repeat(pieces, windows) - number * step, size)
        start = numpy.repeat(piece_start, windows) + number * step

        width = int(filled.max()) + 2
        columns = numpy.arange(width)
        mask = columns < filled[:, None] + 2
        is_piece = (columns > 0) & (columns <= filled[:, None])
        ids = numpy.full(mask.shape, framing.pad_id, dtype=numpy.int64)
        ids[is_piece] = self._table.columns[PIECES].codes[consecutive(start, filled)]
        ids[:, 0] = framing.start_id
        ids[numpy.arange(len(ids)), filled + 1] = framing.end_id

        def cells(sentence: numpy.ndarray, place: numpy.ndarray) -> numpy.ndarray:
            """The cells of the pieces at these places of these sentences, in `ids.flatten()`."""
            window = numpy.minimum(place // step, windows[sentence] - 1)
            return (first_window[sentence] + window) * width + place - window * step + 1

        sentence = numpy.repeat(numpy.arange(len(rows)), lengths)
        first = self._table.columns[FIRST].codes[words].astype(numpy.int64)
        fields = {"wordpieces": {"ids": ids, "mask": mask, "first": cells(sentence, first)}}
        if not (self._schema.word_of or self._schema.piece_nodes):
            return fields

        # The pieces of the batch stand one sentence after the other; of each, its word.
        own_start = numpy.cumsum(pieces) - pieces
        first_of = own_start[sentence] + first
        begins = numpy.append(first_of, pieces.sum())
        owner = numpy.repeat(numpy.arange(1, len(words) + 1), numpy.diff(begins))
        if self._schema.word_of:
            from_here = numpy.repeat(own_start, windows) + number * step
            word_of = numpy.zeros_like(ids)
            word_of[is_piece] = owner[consecutive(from_here, filled)]
            layout["word_of"] = word_of
        if self._schema.piece_nodes:
            fields["piece_nodes"] = {**_nodes(pieces), "word_of": owner, "first_of": first_of}
            place = consecutive(numpy.zeros_like(pieces), pieces)
            row_of = numpy.repeat(numpy.arange(len(rows)), pieces)
            fields["wordpieces"]["pieces"] = cells(row_of, place)
        return fields


def _nodes(lengths: numpy.ndarray) -> dict[str, numpy.ndarray]:
    nodes = numpy.zeros((len(lengths), int(lengths.max()) + 1), dtype=numpy.int64)
    places = consecutive(numpy.arange(len(lengths)) * nodes.shape[1] + 1, lengths)
    nodes.reshape(-1)[places] = numpy.arange(1, len(places) + 1)
    return {"nodes": nodes, "places": places}
