"""
A batch in the form that models pass on, or some of its sentences, such as those still being
refined.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from udify_allennlp.modules.layout import Layout, windows_of_some
from udify_allennlp.text.sentence import Sentence

FIELDS = ("wordpieces", "piece_nodes", "forms", "characters", "langs")
"""Fields of a batch that encoders and decoders may read in addition to its `inputs`."""


class BatchSubset(NamedTuple):
    """Some of the sentences of a batch, or all of them."""

    batch: dict[str, Any]
    """Those of the `FIELDS` that exist, and `inputs`."""
    layout: Layout
    """The layout, with `word_of` if there are wordpieces."""
    sentences: Sequence[Sentence]
    gold: dict[str, Any]

    def select(self, keep: torch.Tensor) -> "BatchSubset":
        """
        Returns the sentences where `keep`, `(batch,)`, is True; at least one. It is the batch that
        a collator would make of them, except that it may have forms that no word uses, its
        spellings may be in another order and wider, and it has no layout of wordpieces.
        """
        layout = self.layout
        lengths = layout.mask.sum(1) - 1
        words = keep.index_select(0, layout.sentence_of)
        new_layout = Layout.from_lengths(lengths[keep].tolist())
        new_layout = Layout(*(x.to(keep.device) for x in new_layout[:2]))
        chosen = _Chosen(keep, words, len(keep), len(words))
        batch: dict[str, Any] = {}
        if "forms" in self.batch:
            forms = self.batch["forms"]
            batch["forms"] = {**forms, "words": forms["words"][words]}
        if "characters" in self.batch:
            spellings = self.batch["characters"]
            used, of_words = spellings["words"][words].unique(return_inverse=True)
            batch["characters"] = {"ids": spellings["ids"][used], "words": of_words}
        if "wordpieces" in self.batch:
            pieces, word_of = _windows(self.batch["wordpieces"], layout, keep, words)
            batch["wordpieces"], new_layout = pieces, new_layout._replace(word_of=word_of)
        batch["inputs"] = {name: chosen.of(x) for name, x in self.batch["inputs"].items()}
        kept = keep.nonzero().flatten().tolist()
        if "langs" in self.batch:
            batch["langs"] = [self.batch["langs"][i] for i in kept]
        sentences: list[Sentence] = [self.sentences[i] for i in kept]
        gold = {name: chosen.of(x) for name, x in self.gold.items()}
        return BatchSubset(batch, new_layout, sentences, gold)


class _Chosen(NamedTuple):
    sentences: torch.Tensor
    words: torch.Tensor
    num_sentences: int
    num_words: int

    def of(self, column: Any) -> Any:
        """
        Selects the part of a column that belongs to the sentences; see `Collator` for its possible
        types.
        """
        if isinstance(column, dict):
            sentences = self.sentences.to(column["lengths"].device)
            rows = sentences.repeat_interleave(column["lengths"])
            return {"values": column["values"][rows], "lengths": column["lengths"][sentences]}
        # With as many words as sentences each has one, and both are the same.
        of_words = len(column) == self.num_words
        return column[(self.words if of_words else self.sentences).to(column.device)]


def _windows(
    pieces: dict[str, torch.Tensor], layout: Layout, keep: torch.Tensor, words: torch.Tensor
) -> Any:
    """
    Returns the windows of the sentences and, if the layout has it, the word of each of their
    pieces.
    """
    count, width = pieces["ids"].shape
    # The windows of a sentence follow that of its first word, up to the next sentence.
    starts = pieces["first"][layout.nodes[:, 1] - 1] // width
    numbers = torch.arange(count, device=starts.device)
    kept_windows = keep.index_select(0, torch.searchsorted(starts, numbers, right=True) - 1)
    kept_pieces = windows_of_some(pieces, kept_windows, words)
    if layout.word_of is None:
        return kept_pieces, None
    numbers = torch.cat([words.new_zeros(1), words]).long()
    numbers = numbers.cumsum(0) * numbers
    word_of = layout.word_of[kept_windows][:, : kept_pieces["ids"].shape[1]]
    return kept_pieces, numbers.index_select(0, word_of.flatten()).view(word_of.shape)
