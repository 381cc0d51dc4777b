"""Phrase structure: labels of all spans, and the best tree of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.constituency.labels import LabelledSpan, phrases_of
from udify_allennlp.constituency.span_labels import SpanLabels
from udify_allennlp.constituency.task import LABELS, LEFTS, RIGHTS, SPANS, ConstituentsTask
from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.modules.cky import best_binary_trees
from udify_allennlp.modules.spans import Spans, framed
from udify_allennlp.text.constituents.sentences import with_phrases
from udify_allennlp.text.sentence import Columns, Sentence

_NONE = 0
"""The number of the label of spans that are not phrases; those of the vocabulary follow it."""
_AT_ONCE = 1 << 16
"""Number of spans whose labels are scored at a time if nothing is learned."""


class FenceScores(NamedTuple):
    """The tensors from which the scores of spans are computed."""

    fences: torch.Tensor
    """`(batch, n + 1, hidden_dim)`; see `SpanLabels.fences`."""
    lengths: list[int]
    """Number of words of each sentence."""

    @property
    def spans(self) -> Spans:
        """All spans."""
        return Spans.of(self.lengths, spans=True, words=False, device=self.fences.device)

    def chart(self, spans: Spans, values: torch.Tensor) -> torch.Tensor:
        """Returns values of spans `(spans,)` as `(batch, n + 1, n + 1)`, 0 elsewhere."""
        size = self.fences.shape[1]
        chart = values.new_zeros(len(self.lengths), size, size)
        return chart.index_put(tuple(spans), values)


@Decoder.register("udify_constituency_decoder")
class ConstituencyDecoder(Decoder):
    """
    A chart parser (Kitaev and Klein 2018, section 2; after Stern et al. 2017 and Gaddy et al.
    2018): the score of a tree is the sum of the scores of its labelled spans (`SpanLabels`), and
    the best tree is found exactly, by CKY. Chains of phrases over the same words are one label.

    Trees need not be binary: a span that is not a phrase has the label "none", whose score is 0, so
    that a phrase with many children has the same score for any binarization. A single word may have
    a label, and all words together may have none below `TOP`.

    The loss is that paper's: for each sentence `max(0, max_T [s(T) + D(T, T*)] - s(T*))` for the
    gold tree `T*`, where `D` is the number of spans of `T` with another label than in `T*`; the
    maximum is over all trees, found by CKY with 1 added to each wrong label. Departure: the losses
    of sentences are added up and divided by the number of words, as all losses here are.

    ROOT stands before the first word, represented by a learned vector if the encoder has none for
    it; another learned vector follows the last word.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    hidden_dim : `int`
        Hidden width of `SpanLabels`.

    # Raises

    `ConfigurationError` if the data has no phrases, or a width is below 1.
    """

    def __init__(self, vocab: Vocabulary, input_dim: int, hidden_dim: int = 250) -> None:
        super().__init__(ConstituentsTask())
        known = vocab.get_index_to_token_vocabulary(LABELS)
        if not known:
            raise ConfigurationError(
                'The data has no phrases. Add "constituents" to dataset_reader.tasks and read '
                "bracketed files (.mrg), or remove the decoder."
            )
        self._labels = [known[index] for index in range(len(known))]
        self.scorer = SpanLabels(input_dim, len(self._labels), hidden_dim)
        self.edges = torch.nn.Parameter(torch.randn(2, input_dim) * input_dim**-0.5)
        """
        The learned vectors before the first word, if ROOT has no vector, and after the last one.
        """

    def scores(self, encoded: Encoded) -> FenceScores:
        before = self.edges[0] if encoded.roots is None else encoded.roots
        nodes = framed(encoded.words, encoded.layout, before, self.edges[1])
        lengths = (encoded.layout.mask.sum(1) - 1).tolist()
        return FenceScores(self.scorer.fences(nodes), lengths)

    def loss(self, scores: FenceScores, gold: dict[str, Any]) -> torch.Tensor:
        spans = scores.spans
        found = F.pad(self.scorer(scores.fences, spans), (1, 0))
        right = self._labels_of(scores, gold)[tuple(spans)]
        with torch.no_grad():
            wrong = torch.ones_like(found).scatter_(1, right.unsqueeze(1), 0.0)
            best, label = (found + wrong).max(1)
            inside = best_binary_trees(scores.chart(spans, best), scores.lengths)[tuple(spans)]
        own = found.gather(1, label.unsqueeze(1)).squeeze(1) + (label != right)
        margins = own * inside - found.gather(1, right.unsqueeze(1)).squeeze(1)
        of_sentences = found.new_zeros(len(scores.lengths)).index_add(0, spans.sentence, margins)
        return of_sentences.clamp(min=0).sum() / sum(scores.lengths)

    def _labels_of(self, scores: FenceScores, gold: dict[str, Any]) -> torch.Tensor:
        """Returns the gold label of each span, `(batch, n + 1, n + 1)`."""
        device = scores.fences.device
        left, right, label = (gold[n]["values"].to(device) for n in (LEFTS, RIGHTS, SPANS))
        counts = gold[SPANS]["lengths"].to(device)
        sentence = torch.arange(len(counts), device=device).repeat_interleave(counts)
        # A label that training does not have can be no better than none.
        label = torch.where(label == UNSEEN, _NONE, label + 1)
        return scores.chart(Spans(sentence, left, right), label)

    def decode(self, scores: FenceScores, sentences: Sequence[Sentence]) -> list[Columns]:
        spans = scores.spans
        parts = torch.arange(len(spans.left), device=scores.fences.device).split(_AT_ONCE)
        with torch.no_grad():
            pairs = [self.scorer(scores.fences, spans.at(part)).max(1) for part in parts]
        best = torch.cat([pair.values for pair in pairs])
        label = torch.cat([pair.indices + 1 for pair in pairs]).masked_fill(best <= 0, _NONE)
        inside = best_binary_trees(scores.chart(spans, best.clamp(min=0)), scores.lengths)
        chosen = inside[tuple(spans)] & (label != _NONE)
        found: list[list[LabelledSpan]] = [[] for _ in sentences]
        for number, left, right, index in zip(*(each[chosen].tolist() for each in (*spans, label))):
            found[number].append(LabelledSpan(left, right, self._labels[index - 1]))
        return [
            {"misc": with_phrases(sentence.misc, phrases_of(own, len(sentence)))}
            for sentence, own in zip(sentences, found)
        ]
