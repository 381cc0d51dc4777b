"""Segmentation of raw text into sentences: short paragraphs share a row."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Optional

import numpy
import torch

from udify_allennlp.data.character_features import MARGIN
from udify_allennlp.segmenter.floor import join_abbreviations
from udify_allennlp.segmenter.labels import MULTIWORD, SENTENCE, TOKEN, sentences_of
from udify_allennlp.segmenter.language_input import LanguageInput
from udify_allennlp.segmenter.network import SHORT
from udify_allennlp.segmenter.row import Row, row_of
from udify_allennlp.text.contractions import contraction_ends
from udify_allennlp.text.cutting import shifted
from udify_allennlp.text.multiwords import cased_like
from udify_allennlp.text.raw_text import Token

BLOCK = 8192
"""Number of characters that are processed together."""
_UNIT = 1024
_TRIED = 8  # rules for a multiword token

_Scores = dict[int, tuple[numpy.ndarray, list[int]]]
"""The scores of all rules, and the highest ones, by the end of a multiword token."""


class SegmenterTokenizer:
    """
    The tokenizer of a segmenter.

    # Parameters

    model : `Any`
        A `Segmenter`.
    lang : `Optional[str]`
        The treebank, `en_ewt`, or the language, `en`, of all texts. For a language, one of its
        treebanks is guessed, separately for each paragraph; `None` to guess among all. The network
        guesses; where it is unsure, py3langid chooses the language.
    """

    def __init__(self, model: Any, lang: Optional[str] = None) -> None:
        self._model = model
        self._languages = LanguageInput(model, lang)

    def __call__(self, paragraph: str) -> Iterator[list[Token]]:
        for _, sentences in self.together([paragraph]):
            yield from sentences

    def together(self, paragraphs: Iterable[str]) -> Iterator[tuple[str, Iterable[list[Token]]]]:
        """
        Yields each paragraph with its sentences, which do not depend on other paragraphs. Takes
        paragraphs of `BLOCK` characters at a time, and no more before their sentences have been
        taken.
        """
        held: list[str] = []
        size = 0
        for paragraph in paragraphs:
            held.append(paragraph)
            size += len(paragraph)
            if size >= BLOCK:
                yield from self._segment(held)
                held, size = [], 0
        yield from self._segment(held)

    def _segment(self, paragraphs: list[str]) -> Iterator[tuple[str, Iterable[list[Token]]]]:
        texts = [paragraph.strip() for paragraph in paragraphs]
        visible = [text for text in texts if text]
        sentences = self._sentences(row_of(visible)) if visible else iter(())
        groups = itertools.groupby(sentences, itemgetter(0))
        for paragraph, text in zip(paragraphs, texts):
            if not text:
                yield paragraph, ()
                continue
            before = len(paragraph) - len(paragraph.lstrip())
            _, group = next(groups)
            yield paragraph, (shifted(tokens, before) if before else tokens for _, tokens in group)

    def _sentences(self, row: Row) -> Iterator[tuple[int, list[Token]]]:
        bias, langs = self._languages.of(row)
        multiwords = self._model.multiwords
        scores: _Scores = {}

        def lang_of(place: int) -> str:
            number = int(numpy.searchsorted(row.starts, place, side="right")) - 1
            return langs[min(number, len(langs) - 1)]

        def contractions_of(lang: str) -> Mapping[str, tuple[str, ...]]:
            # How a treebank splits them, the network knows.
            return {} if self._languages.is_treebank else multiwords.contractions(lang)

        def parts() -> Iterator[numpy.ndarray]:
            for part in row.floor.blocks(row.text, BLOCK):
                labels = self._labels(row, part.start, part.stop, bias, scores)
                row.floor.apply(labels, part.start)
                join_abbreviations(labels, row.text, part.start, lang_of)
                for lang in {*langs}:
                    if contractions_of(lang):
                        for end in contraction_ends(row.seen, lang, part.start, part.stop):
                            labels[end - 1 - part.start] |= MULTIWORD
                yield labels

        def words(start: int, end: int) -> tuple[str, ...]:
            form, lang, scored = row.text[start:end], lang_of(start), scores.pop(end, None)
            certain = contractions_of(lang).get(row.seen[start:end].lower())
            if certain:
                return cased_like(form, certain)
            return multiwords.words(form, lang, *scored) if scored else ()

        return sentences_of(row.shown, parts(), words, row.starts.tolist())

    @torch.no_grad()
    def _labels(
        self, row: Row, start: int, end: int, bias: torch.Tensor, scores: _Scores
    ) -> numpy.ndarray:
        """
        Returns the network's labels of a block, uint8; puts the scores of rules into `scores`.
        """
        model = self._model
        margin = model.network.reach + MARGIN
        part = slice(max(0, start - margin), min(end + margin, len(row.text)))
        length = part.stop - part.start
        # A convolution is prepared anew for each length that is new, which takes milliseconds.
        padding = -length % _UNIT if length > SHORT else 0
        character_vectors = model.features(row, part, padding)
        mask = text_of = None
        if padding or len(row.starts) > 1:
            numbers = row.text_of(slice(part.start, part.stop + padding))
            is_text = numpy.arange(part.start, part.stop + padding) < row.ends[numbers]
            mask = model.tensor(is_text).unsqueeze(0)
            text_of = model.tensor(numbers).unsqueeze(0) if len(bias) > 1 else None
        vectors = model.network(character_vectors, mask, bias, text_of)
        vectors = vectors[0, start - part.start :][: end - start]
        logits = model.flags(vectors)
        is_end, is_last, is_multiword = (logits > 0).unbind(-1)
        is_end = is_end | is_last
        split = torch.nonzero(is_end & is_multiword).flatten()
        if len(split):
            rule_scores = model.rules(vectors[split])
            best = rule_scores.topk(min(_TRIED, rule_scores.shape[1])).indices
            places = (split + start + 1).tolist()
            scores.update(zip(places, zip(rule_scores.float().cpu().numpy(), best.tolist())))
        labels = TOKEN * is_end + SENTENCE * is_last + MULTIWORD * (is_end & is_multiword)
        found_labels = labels.to(torch.uint8).cpu().numpy()
        closed = row.ends[(start < row.ends) & (row.ends <= end)] - start - 1
        found_labels[closed] |= TOKEN | SENTENCE
        return found_labels
