"""A cache of the vectors that a frozen encoder computes for sentences."""

import logging
from collections import ChainMap
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import numpy
import torch

from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.modules.layout import Layout, windows_of_some

logger = logging.getLogger(__name__)

Key = tuple[bytes, bytes]
"""The identity of a sentence: its wordpieces, window by window, and those that words begin with."""


class KeptVectors:
    """
    A cache that calls an encoder only for the sentences of a batch that it has not seen yet. Either
    all sentences fit or, once they do not, none is kept: batches change in each epoch, and a few
    sentences without vectors would require the encoder for nearly every batch.

    # Parameters

    encoder : `WordEncoder`
        A frozen encoder without dropout, which reads only `wordpieces`.
    lowest : `int`
        The lowest layer to return; those below are not kept.
    megabytes : `int`
        Main memory for the vectors.
    """

    def __init__(self, encoder: WordEncoder, lowest: int, megabytes: int) -> None:
        self._encoder = encoder
        self._lowest = lowest
        self._megabytes = megabytes
        self._kept: Optional[dict[Key, torch.Tensor]] = {}
        self._bytes = 0
        self._dtype = torch.float32

    def __call__(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        """
        Returns the layers from `lowest` on, `(layers, words, dim)`; see `WordEncoder.forward`.
        """
        if self._kept is None:
            return self._encoder(batch, layout)[self._lowest :]
        pieces = batch["wordpieces"]
        sentences = _sentences(pieces, layout)
        new = [sentence for sentence in sentences if sentence.key not in self._kept]
        made: dict[Key, torch.Tensor] = {}
        if new:
            lengths = [words.stop - words.start for _, _, words in new]
            new_vectors = self._encoder(
                {**batch, "wordpieces": _part(pieces, new)},
                Layout(*(x.to(layout.nodes.device) for x in Layout.from_lengths(lengths)[:2])),
            )[self._lowest :].detach()
            self._dtype = new_vectors.dtype
            vectors = new_vectors.to("cpu", _stored_as(new_vectors)).split(lengths, 1)
            made = {
                sentence.key: sentence_vectors.clone()
                for sentence, sentence_vectors in zip(new, vectors)
            }
        vectors_of = ChainMap(made, self._kept)
        together = torch.cat([vectors_of[sentence.key] for sentence in sentences], 1)
        self._keep(made)
        return together.to(pieces["ids"].device, self._dtype)

    def _keep(self, made: dict[Key, torch.Tensor]) -> None:
        assert self._kept is not None
        self._bytes += sum(vectors.numel() * vectors.element_size() for vectors in made.values())
        self._kept.update(made)
        if self._bytes > self._megabytes * 1e6:
            logger.warning(
                "The vectors of the encoder below need more than the %d MB of "
                "embedder.keep_below, after %d sentences, so none is kept. Raise it, or set it to "
                "0.",
                self._megabytes,
                len(self._kept),
            )
            self._kept = None


def _stored_as(vectors: torch.Tensor) -> torch.dtype:
    device = vectors.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else vectors.dtype


class _Sentence(NamedTuple):
    key: Key
    windows: slice
    words: slice


def _sentences(pieces: Mapping[str, torch.Tensor], layout: Layout) -> list[_Sentence]:
    """
    Returns the sentences of a batch. A sentence begins with a new window, which contains its first
    word.
    """
    ids, mask, first = (pieces[name].cpu().numpy() for name in ("ids", "mask", "first"))
    lengths = numpy.bincount(layout.sentence_of.cpu().numpy())
    word_ends = numpy.cumsum(lengths)
    window, column = numpy.divmod(first, ids.shape[1])
    begins = window[word_ends - lengths]
    ends = numpy.append(begins[1:], len(ids))
    sentences = []
    for begin, end, word_end, length in zip(begins, ends, word_ends, lengths):
        words = slice(word_end - length, word_end)
        cells = numpy.stack([window[words] - begin, column[words]]).astype(numpy.int32)
        text = ids[begin:end][mask[begin:end]].astype(numpy.int32)
        key = (text.tobytes(), cells.tobytes())
        sentences.append(_Sentence(key, slice(begin, end), words))
    return sentences


def _part(
    pieces: Mapping[str, torch.Tensor], sentences: list[_Sentence]
) -> dict[str, torch.Tensor]:
    """Returns the `wordpieces` of some sentences of a batch."""
    device = pieces["ids"].device
    windows = torch.zeros(len(pieces["ids"]), dtype=torch.bool)
    words = torch.zeros(len(pieces["first"]), dtype=torch.bool)
    for sentence in sentences:
        windows[sentence.windows] = True
        words[sentence.words] = True
    return windows_of_some(pieces, windows.to(device), words.to(device))
