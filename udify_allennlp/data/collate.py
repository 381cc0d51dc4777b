"""Batch tensors straight from the columns of a table."""

from typing import Any, Dict, Optional, Sequence

import numpy
import torch
from allennlp.data import Vocabulary

from udify_allennlp.data.bucket_sampler import Sizes
from udify_allennlp.data.fields import UNSEEN
from udify_allennlp.data.spellings import Spellings
from udify_allennlp.data.table import FORMS, Sentences, TreebankTable, namespace, ranges
from udify_allennlp.data.wordpieces import Framing


class Collator:
    """
    Makes a batch of some sentences of a table, equal to that of the reader's instances.

    - `wordpieces`: `ids`, `mask` `(windows, width)`; `first`, `places` `(words,)`; `nodes`
      `(batch, n + 1)`; see `WordpieceField.batch_tensors`
    - `heads` and each column of labels, `(words,)` int64: the words of all sentences one after the
      other; a label that the vocabulary lacks is `UNSEEN`
    - `characters`: where the table has the forms of words; see `Spellings.batch`
    - `sentences`: a sequence of `Sentence`

    # Parameters

    table : `TreebankTable`
    framing : `Framing`
    """

    def __init__(self, table: TreebankTable, framing: Framing) -> None:
        self._table = table
        self._framing = framing
        # A window holds `size` pieces of the text and keeps `step` of them, as WordpieceField says.
        self._size = framing.max_pieces - 2
        self._step = framing.max_pieces // 2 - 1
        self._indices: Optional[Dict[str, numpy.ndarray]] = None
        self._spellings: Optional[Spellings] = None

    def index_with(self, vocab: Vocabulary) -> None:
        """Number the labels and the characters as `vocab` does."""
        self._indices = {}
        for name, column in self._table.labels.items():
            if name == FORMS:
                self._spellings = Spellings(column.names, vocab)
                continue
            known = vocab.get_token_to_index_vocabulary(namespace(name))
            self._indices[name] = numpy.array(
                [known.get(label, UNSEEN) for label in column.names], dtype=numpy.int64
            )

    def sizes(self) -> Sizes:
        """The sizes of all sentences of the table."""
        pieces = numpy.diff(self._table.piece_offsets)
        windows = self._window_count(pieces)
        overlap = (windows - 1) * (self._size - self._step)
        widths = numpy.minimum(pieces, self._size) + 2
        return Sizes(windows, widths, pieces + overlap + 2 * windows)

    def _window_count(self, pieces: numpy.ndarray) -> numpy.ndarray:
        return 1 + numpy.maximum(-(-(pieces - self._size) // self._step), 0)

    def __call__(self, rows: Sequence[int]) -> Dict[str, Any]:
        """
        The batch of the sentences `rows`, on the CPU.

        # Raises

        `ValueError` if there are labels or characters and no vocabulary yet.
        """
        table = self._table
        chosen = numpy.asarray(rows, dtype=numpy.int64)
        word_start = table.word_offsets[chosen]
        lengths = table.word_offsets[chosen + 1] - word_start
        words = ranges(word_start, lengths)
        batch: Dict[str, Any] = {
            "wordpieces": self._wordpieces(chosen, words, lengths),
            "sentences": Sentences(table, rows),
        }
        if table.heads is not None:
            batch["heads"] = torch.from_numpy(table.heads[words].astype(numpy.int64))
        for name, column in table.labels.items():
            if self._indices is None:
                raise ValueError("The labels have no numbers yet. Call index_with(vocab) first.")
            if name == FORMS and self._spellings is not None:
                batch["characters"] = self._spellings.batch(column.codes[words])
            else:
                batch[name] = torch.from_numpy(self._indices[name][column.codes[words]])
        return batch

    def _wordpieces(
        self, rows: numpy.ndarray, words: numpy.ndarray, lengths: numpy.ndarray
    ) -> Dict[str, torch.Tensor]:
        size, step = self._size, self._step
        piece_start = self._table.piece_offsets[rows]
        pieces = self._table.piece_offsets[rows + 1] - piece_start
        windows = self._window_count(pieces)
        first_window = numpy.cumsum(windows) - windows
        # Of each window: its number within the sentence, and how many pieces it holds.
        number = ranges(numpy.zeros_like(windows), windows)
        filled = numpy.minimum(numpy.repeat(pieces, windows) - number * step, size)
        start = numpy.repeat(piece_start, windows) + number * step

        width = int(filled.max()) + 2
        columns = numpy.arange(width)
        mask = columns < filled[:, None] + 2
        ids = numpy.full(mask.shape, self._framing.pad_id, dtype=numpy.int64)
        ids[(columns > 0) & (columns <= filled[:, None])] = self._table.pieces[
            ranges(start, filled)
        ]
        ids[:, 0] = self._framing.start_id
        ids[numpy.arange(len(ids)), filled + 1] = self._framing.end_id

        # Each word: its sentence in the batch, and the window that keeps its first piece.
        sentence = numpy.repeat(numpy.arange(len(rows)), lengths)
        first = self._table.first[words].astype(numpy.int64)
        window = numpy.minimum(first // step, windows[sentence] - 1)
        cell = (first_window[sentence] + window) * width + first - window * step + 1

        nodes = numpy.zeros((len(rows), int(lengths.max()) + 1), dtype=numpy.int64)
        places = ranges(numpy.arange(len(rows)) * nodes.shape[1] + 1, lengths)
        nodes.reshape(-1)[places] = numpy.arange(1, len(places) + 1)
        tensors = {"ids": ids, "mask": mask, "first": cell, "nodes": nodes, "places": places}
        return {name: torch.from_numpy(values) for name, values in tensors.items()}
