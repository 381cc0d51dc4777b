"""AllenNLP fields of a sentence: its wordpieces, one label a word, one head a word."""

import itertools
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
import torch
from allennlp.data.fields import Field
from allennlp.data.vocabulary import Vocabulary

from udify_allennlp.modules.adaptive_softmax import IGNORED

UNSEEN = IGNORED
"""Index of a label that the training data does not have: out of every loss, never predicted."""

TREEBANK_XPOS = "treebank_xpos_labels"
"""The vocabulary's namespace of what `TreebankField` counts."""


class WordpieceField(Field[Dict[str, torch.Tensor]]):
    """
    The wordpieces of a sentence, cut into windows where the encoder's positions end.

    A window holds `max_pieces` pieces with its two special pieces, and windows overlap by half.
    A piece is represented by the first window that keeps it: the first half of each window is
    kept, and all that remains of the last one (thesis, section 3.3.2: 512 and 256).
    Our choice: the thesis does not say whether special pieces count; here every window is a whole
    input of the encoder, so they do, and its kept half is `max_pieces / 2` with the first of them.

    # Parameters

    pieces : `Sequence[Tuple[int, ...]]`
        The wordpiece ids of each word, at least one each.
    start_id, end_id, pad_id : `int`
        The special pieces put before and after each window, and behind it in a batch.
    max_pieces : `int`
        Pieces in a window, special ones included; at least 4.
    """

    __slots__ = ["windows", "positions", "pad_id"]

    def __init__(
        self,
        pieces: Sequence[Tuple[int, ...]],
        start_id: int,
        end_id: int,
        pad_id: int,
        max_pieces: int = 512,
    ) -> None:
        if max_pieces < 4:
            raise ValueError(f"max_pieces is {max_pieces}; a window needs at least 4")
        flat = [piece for word in pieces for piece in word]
        first = numpy.zeros(len(pieces), dtype=numpy.int64)
        numpy.cumsum([len(word) for word in pieces[:-1]], out=first[1:])
        size, step = max_pieces - 2, max_pieces // 2 - 1
        starts = range(0, max(len(flat) - size, 0) + step, step) if len(flat) > size else range(1)
        self.windows: List[numpy.ndarray] = [
            numpy.array([start_id, *flat[start : start + size], end_id], dtype=numpy.int32)
            for start in starts
        ]
        window = numpy.minimum(first // step, len(starts) - 1)
        # (words, 2): the window of each word's first piece, and the place within it.
        self.positions = numpy.stack([window, first - window * step + 1], axis=1).astype(
            numpy.int32
        )
        self.pad_id = pad_id

    @property
    def width(self) -> int:
        """Pieces of the widest window, special ones included."""
        return max(len(window) for window in self.windows)

    def get_padding_lengths(self) -> Dict[str, int]:
        return {"pieces": self.width, "words": len(self.positions)}

    def as_tensor(self, padding_lengths: Dict[str, int]) -> Dict[str, torch.Tensor]:
        """The layout of a batch of this one sentence; see `batch_tensors`."""
        width, n = padding_lengths["pieces"], len(self.positions)
        ids = numpy.full((len(self.windows), width), self.pad_id, dtype=numpy.int64)
        mask = numpy.zeros((len(self.windows), width), dtype=bool)
        for row, window in enumerate(self.windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = True
        nodes = numpy.zeros((1, padding_lengths["words"] + 1), dtype=numpy.int64)
        nodes[0, 1 : n + 1] = numpy.arange(1, n + 1)
        first = self.positions[:, 0].astype(numpy.int64) * width + self.positions[:, 1]
        return {
            "ids": torch.from_numpy(ids),
            "mask": torch.from_numpy(mask),
            "first": torch.from_numpy(first),
            "nodes": torch.from_numpy(nodes),
            "places": torch.arange(1, n + 1),
        }

    def batch_tensors(self, tensor_list: List[Dict[str, torch.Tensor]]) -> Dict[str, torch.Tensor]:
        """
        All windows one below the other, all words one after the other without padding.

        - `ids`, `mask` `(windows, pieces)`
        - `first` `(words,)`: each word's first piece in `ids.flatten()`
        - `nodes` `(batch, n + 1)`: the row of each node in [ROOT, word 1, word 2, ...] of the
          whole batch; ROOT stands before each sentence, 0 as padding is
        - `places` `(words,)`: where each word stands in `nodes.flatten()`
        """
        parts = {name: [tensors[name] for tensors in tensor_list] for name in tensor_list[0]}
        words = [len(places) for places in parts["places"]]
        nodes = [
            rows + rows.sign() * start
            for rows, start in zip(parts["nodes"], _starts(words), strict=True)
        ]
        cells = _starts([ids.numel() for ids in parts["ids"]])
        row = parts["nodes"][0].shape[1]
        return {
            "ids": torch.cat(parts["ids"]),
            "mask": torch.cat(parts["mask"]),
            "first": torch.cat([first + c for first, c in zip(parts["first"], cells)]),
            "nodes": torch.cat(nodes),
            "places": torch.cat([places + i * row for i, places in enumerate(parts["places"])]),
        }

    def human_readable_repr(self) -> Any:
        return [window.tolist() for window in self.windows]

    def __len__(self) -> int:
        return len(self.positions)

    def __str__(self) -> str:
        return f"WordpieceField of {len(self)} words in {len(self.windows)} windows"


class HeadsField(Field[torch.Tensor]):
    """The gold head of each word, `(words,)`, 0 is ROOT; of a batch, all words in one row."""

    __slots__ = ["heads"]

    def __init__(self, heads: Sequence[int]) -> None:
        self.heads = numpy.asarray(heads, dtype=numpy.int32)

    def get_padding_lengths(self) -> Dict[str, int]:
        return {}

    def as_tensor(self, padding_lengths: Dict[str, int]) -> torch.Tensor:
        return torch.from_numpy(self.heads.astype(numpy.int64))

    def batch_tensors(self, tensor_list: List[torch.Tensor]) -> torch.Tensor:
        return torch.cat(tensor_list)

    def human_readable_repr(self) -> Any:
        return self.heads.tolist()

    def __str__(self) -> str:
        return f"HeadsField of {len(self.heads)} words"


class ColumnField(Field[torch.Tensor]):
    """
    One label a word, from one CoNLL-U column: `(words,)`; of a batch, all words in one row.

    Unlike AllenNLP's `SequenceLabelField` a label that the vocabulary lacks is no error: it
    becomes `UNSEEN`, is left out of the loss, and is scored as wrong from its string.

    # Parameters

    labels : `Sequence[str]`
    namespace : `str`
        Of the vocabulary; it must end in `labels`, so that it has no padding and unknown entries.
    """

    __slots__ = ["labels", "namespace", "indices"]

    def __init__(self, labels: Sequence[str], namespace: str) -> None:
        # Thousands of words share a label: one string object serves them all.
        self.labels = [sys.intern(label) for label in labels]
        self.namespace = namespace
        self.indices: Optional[numpy.ndarray] = None

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        counts = counter[self.namespace]
        for label in self.labels:
            counts[label] += 1

    def index(self, vocab: Vocabulary) -> None:
        table = vocab.get_token_to_index_vocabulary(self.namespace)
        self.indices = numpy.array(
            [table.get(label, UNSEEN) for label in self.labels], dtype=numpy.int32
        )

    def get_padding_lengths(self) -> Dict[str, int]:
        return {}

    def as_tensor(self, padding_lengths: Dict[str, int]) -> torch.Tensor:
        if self.indices is None:
            raise ValueError(f"index the field of {self.namespace} with a vocabulary first")
        return torch.from_numpy(self.indices.astype(numpy.int64))

    def batch_tensors(self, tensor_list: List[torch.Tensor]) -> torch.Tensor:
        return torch.cat(tensor_list)

    def human_readable_repr(self) -> Any:
        return list(self.labels)

    def __str__(self) -> str:
        return f"ColumnField of {len(self.labels)} words in {self.namespace}"


class TreebankField(ColumnField):
    """
    The treebank of each word, `(words,)`. It lets the vocabulary know which XPOS a treebank has:
    the namespace `treebank_xpos_labels` has entries `treebank<tab>tag`.

    # Parameters

    treebanks : `Sequence[str]`
    xpos : `Sequence[str]`
        The tags of the same words; none where they are not read.
    """

    __slots__ = ["xpos"]

    def __init__(self, treebanks: Sequence[str], xpos: Sequence[str]) -> None:
        super().__init__(treebanks, "treebank_labels")
        self.xpos = xpos

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        super().count_vocab_items(counter)
        counts = counter[TREEBANK_XPOS]
        for treebank, tag in zip(self.labels, self.xpos):
            counts[f"{treebank}\t{tag}"] += 1


def _starts(sizes: Sequence[int]) -> List[int]:
    """Where each part begins when parts of these sizes are put one after the other."""
    return [0, *itertools.accumulate(sizes[:-1])]
