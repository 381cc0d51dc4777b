"""Segmentation of raw text into sentences: short paragraphs share a row."""

import itertools
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Optional

import numpy

from udify_allennlp.segmentation.character_features import MARGIN
from udify_allennlp.segmentation.character_ngrams import TREEBANKS as UNSPACED
from udify_allennlp.segmentation.character_ngrams import end_unspaced
from udify_allennlp.segmentation.floor import (
    end_after_letters,
    end_at_brackets,
    end_before_clitics,
    go_on_in_brackets,
    join_abbreviations,
    join_multiwords,
    keep_articles,
)
from udify_allennlp.segmentation.joined_tokens import LANGS as SEPARATE
from udify_allennlp.segmentation.joined_tokens import end_joined
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN, sentences_of
from udify_allennlp.segmentation.language_input import LanguageInput
from udify_allennlp.segmentation.multiword_rules import UNLIKELY, MultiwordRules
from udify_allennlp.segmentation.row import SHORT, Row, row_of
from udify_allennlp.segmentation.scores import Characters, NetworkScores
from udify_allennlp.segmentation.sentence_ends import (
    close_quotes,
    end_before_capitals,
    end_inside_long,
    go_on_after_speech,
    go_on_without_marks,
)
from udify_allennlp.segmentation.sign_labels import (
    end_at_signs,
    end_before_periods,
    even_hyphens,
    even_runs,
    even_slashes,
    join_groups,
    join_numbers,
    join_whole,
)
from udify_allennlp.segmentation.treebanks import Treebanks
from udify_allennlp.text import serbian
from udify_allennlp.text.cutting import shifted
from udify_allennlp.text.multiwords import spelled_like
from udify_allennlp.text.raw_text import Token, Tokenizer
from udify_allennlp.text.tokenizers import DEFAULT, make_tokenizer

BLOCK = 8192
"""Number of characters that are processed together."""
_UNIT = 1024
_TRIED = 8  # rules for a multiword token

_Scores = dict[int, tuple[float, numpy.ndarray, list[int]]]
"""
By the end of a token that may be a multiword token, its logit, the scores of all rules, and the
highest ones.
"""


class SegmenterTokenizer:
    """
    The tokenizer of a segmenter.

    # Parameters

    scores : `NetworkScores`
    treebanks : `Treebanks`
    multiwords : `MultiwordRules`
        Those of the segmenter.
    lang : `Optional[str]`
        The treebank, `en_ewt`, or the language, `en`, of all texts. For a language, one of its
        treebanks is guessed, separately for each paragraph; `None` to guess among all. The network
        guesses; where it is unsure, py3langid chooses the language.
    """

    def __init__(
        self,
        scores: NetworkScores,
        treebanks: Treebanks,
        multiwords: MultiwordRules,
        lang: Optional[str] = None,
    ) -> None:
        self._scores = scores
        self._multiwords = multiwords
        self._languages = LanguageInput(scores, treebanks, lang)
        self._unspaced = {
            own
            for own, name in UNSPACED.items()
            if name in treebanks.numbers and (lang == name or not self._languages.is_treebank)
        }

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
        shares, langs = self._languages.of(row)
        multiwords = self._multiwords
        scores: _Scores = {}

        def lang_of(place: int) -> str:
            number = int(numpy.searchsorted(row.starts, place, side="right")) - 1
            return langs[min(number, len(langs) - 1)]

        least = UNLIKELY if any(map(multiwords.are_joined, langs)) else 0.0

        def parts() -> Iterator[numpy.ndarray]:
            for part in row.floor.blocks(row.text, BLOCK):
                labels, of_end, of_last = self._labels(row, part, shares, least, scores)
                for lang in {*langs} & self._unspaced:
                    end_unspaced(labels, of_end, row.text, part.start, lang, lang_of)
                for lang in {*langs} & SEPARATE:
                    if not multiwords.has_tokens(lang):
                        end_joined(labels, of_end, row.text, part.start, lang, lang_of)
                for lang in {*langs}:
                    end_at_brackets(labels, row.text, part.start, lang, lang_of)
                    end_at_signs(labels, row.text, part.start, lang, lang_of)
                even_hyphens(labels, row.text, part.start, lang_of)
                even_slashes(labels, row.text, part.start, lang_of)
                even_runs(labels, row.text, part.start, lang_of)
                join_groups(labels, row.text, part.start, lang_of)
                for lang in {*langs}:
                    join_whole(labels, row.text, part.start, lang, lang_of)
                row.floor.apply(labels, part.start)
                join_numbers(labels, row.text, part.start, lang_of)
                join_abbreviations(labels, row.text, part.start, lang_of)
                go_on_without_marks(labels, row.text, part.start, lang_of)
                row.floor.end_certain(labels, part.start)
                for lang in {*langs}:
                    end_after_letters(labels, row.text, part.start, lang, lang_of)
                    go_on_after_speech(labels, row.text, part.start, lang, lang_of)
                    end_before_capitals(labels, row.text, part.start, lang, lang_of)
                    go_on_in_brackets(labels, row.text, part.start, lang, lang_of)
                    end_before_clitics(labels, row.seen, part.start, lang, lang_of)
                    spans = multiwords.certain_spans(row.seen, lang, part.start, part.stop)
                    join_multiwords(labels, spans, part.start, lang, lang_of)
                    keep_articles(labels, row.seen, part.start, lang, lang_of)
                end_before_periods(labels, row.text, part.start, lang_of)
                close_quotes(labels, row.floor, part.start)
                end_inside_long(labels, of_last, row.text, part.start, lang_of)
                yield labels

        def words(start: int, end: int) -> tuple[str, ...]:
            lang, scored = lang_of(start), scores.pop(end, None)
            certain = multiwords.certain(row.seen[start:end], lang)
            if certain or not scored:
                return spelled_like(row.text[start:end], row.seen[start:end], certain)
            return multiwords.words(row.text[start:end], lang, *scored)

        return sentences_of(row.shown, parts(), words, row.starts.tolist())

    def _labels(
        self,
        row: Row,
        block: slice,
        shares: numpy.ndarray,
        least: float,
        scores: _Scores,
    ) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """
        Returns the network's labels of a block, uint8, and its logits of the ends of tokens and
        sentences; puts the scores of rules into `scores`, for multiword tokens with a logit above
        `least`.
        """
        start, end = block.start, block.stop
        margin = self._scores.reach + MARGIN
        part = slice(max(0, start - margin), min(end + margin, len(row.text)))
        length = part.stop - part.start
        # A convolution is prepared anew for each length that is new, which takes milliseconds.
        padding = -length % _UNIT if length > SHORT else 0
        hashes, classes = row.features(part, padding)
        text_of = row.text_of(slice(part.start, part.stop + padding))
        is_text = numpy.arange(part.start, part.stop + padding) < row.ends[text_of]
        characters = Characters(hashes, classes, text_of)
        logits, vectors = self._scores.flags(characters, is_text, shares)
        own = slice(start - part.start, end - part.start)
        of_end, of_last, of_multiword = logits[own].T
        is_last = of_last > 0
        is_end = (of_end > 0) | is_last
        is_multiword = is_end & (of_multiword > least)
        split = numpy.flatnonzero(is_multiword)
        if len(split):
            rule_scores = self._scores.rules(vectors[own][split])
            best = _highest(rule_scores, _TRIED)
            found = zip(of_multiword[split].tolist(), rule_scores, best.tolist())
            scores.update(zip((split + start + 1).tolist(), found))
        labels = TOKEN * is_end + SENTENCE * is_last + MULTIWORD * is_multiword
        labels = labels.astype(numpy.uint8)
        closed = row.ends[(start < row.ends) & (row.ends <= end)] - start - 1
        labels[closed] |= TOKEN | SENTENCE
        return labels, of_end, of_last


def tokenizer_or_rules(segmenter: Any, lang: Optional[str]) -> Tokenizer:
    """
    Returns the tokenizer of a `Segmenter` or an `OnnxSegmenter`. A language that it was not trained
    on is segmented like its nearest relatives; without any, by the rules, which are better there
    (docs/results/segmenter.md). Serbian in Cyrillic is segmented as in Latin letters.
    """
    treebanks = segmenter.treebanks.of(lang) if lang is not None else []
    if lang is not None and not treebanks:
        return make_tokenizer(DEFAULT, lang)
    tokenizer: Tokenizer = segmenter.tokenizer(lang)
    is_serbian = treebanks and serbian.TREEBANKS.issuperset(treebanks)
    return serbian.latin_tokenizer(tokenizer) if is_serbian else tokenizer


def _highest(scores: numpy.ndarray, count: int) -> numpy.ndarray:
    """Returns the columns of the highest scores of each row, the highest first."""
    if scores.shape[1] > count:
        columns = numpy.argpartition(-scores, count, axis=1)[:, :count]
    else:
        columns = numpy.tile(numpy.arange(scores.shape[1]), (len(scores), 1))
    order = (-numpy.take_along_axis(scores, columns, 1)).argsort(1)
    return numpy.take_along_axis(columns, order, 1)
