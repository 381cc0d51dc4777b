"""Segmentation of raw text into sentences: short paragraphs share a row."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, Optional

import numpy
import torch

from udify_allennlp.data.character_features import MARGIN, features
from udify_allennlp.segmenter.floor import Floor, floor_of, join_abbreviations
from udify_allennlp.segmenter.labels import MULTIWORD, SENTENCE, TOKEN, sentences_of
from udify_allennlp.segmenter.network import SHORT
from udify_allennlp.segmenter.reader import LANGS, RULES
from udify_allennlp.segmenter.windows import GAP
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.cutting import shifted
from udify_allennlp.text.lemma_rules import edges
from udify_allennlp.text.multiwords import apply_split, cased_like
from udify_allennlp.text.raw_text import Token
from udify_allennlp.text.unspaced import dictionary_states

BLOCK = 8192
"""Number of characters that are processed together."""
_UNIT = 1024
_GUESSED_BY = 1000  # characters of a paragraph
_TRIED = 8  # rules for a multiword token
_NOTHING = "\0"
# Between Latin letters: in Cyrillic, it is a letter, and was one in training.
_APOSTROPHE = re.compile("(?<=[A-Za-zÀ-ɏ])’(?=[A-Za-zÀ-ɏ])")

_Scores = dict[int, tuple[numpy.ndarray, list[int]]]
"""The scores of all rules, and the highest ones, by the end of a multiword token."""
_splits = lru_cache(maxsize=2**16)(apply_split)


class _Row(NamedTuple):
    """Paragraphs without the white space around them, `GAP` characters apart."""

    text: str
    starts: numpy.ndarray
    ends: numpy.ndarray
    shown: str
    """The text with spaces between the paragraphs, where `text` has padding."""
    states: numpy.ndarray
    seen: str
    """The input of the network: `text` with straight apostrophes inside words, as in training."""
    floor: Floor

    def text_of(self, part: slice) -> numpy.ndarray:
        """Returns the number of the paragraph that each position belongs to, or follows."""
        places = numpy.arange(part.start, part.stop)
        return numpy.searchsorted(self.starts, places, side="right") - 1


def _row(texts: Sequence[str]) -> _Row:
    lengths = numpy.array([len(text) for text in texts])
    starts = numpy.concatenate([[0], numpy.cumsum(lengths + GAP)[:-1]])
    text, shown = ((sign * GAP).join(texts) for sign in (_NOTHING, " "))
    ends = starts + lengths
    states, seen = dictionary_states(text), _straight(text)
    floor = floor_of(text, starts.tolist(), ends.tolist())
    return _Row(text, starts, ends, shown, states, seen, floor)


def _straight(text: str) -> str:
    return _APOSTROPHE.sub("'", text)


class SegmenterTokenizer:
    """
    The tokenizer of a segmenter.

    # Parameters

    model : `Any`
        A `Segmenter`.
    lang : `Optional[str]`
        The treebank, `en_ewt`, or the language, `en`, of all texts. For a language, one of its
        treebanks is guessed, separately for each paragraph; `None` to guess among all.
    """

    def __init__(self, model: Any, lang: Optional[str] = None) -> None:
        self._model = model
        labels: dict[str, int] = model.vocab.get_token_to_index_vocabulary(LANGS)
        names = (model.labels_of(lang) if lang else []) or model.standard_labels()
        self._langs = [treebank_language(name) for name in names]
        self._chosen = torch.tensor([labels[name] for name in names])

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
        sentences = self._sentences(_row(visible)) if visible else iter(())
        groups = itertools.groupby(sentences, itemgetter(0))
        for paragraph, text in zip(paragraphs, texts):
            if not text:
                yield paragraph, ()
                continue
            before = len(paragraph) - len(paragraph.lstrip())
            _, group = next(groups)
            yield paragraph, (shifted(tokens, before) if before else tokens for _, tokens in group)

    def _sentences(self, row: _Row) -> Iterator[tuple[int, list[Token]]]:
        bias, langs = self._told(row)
        scores: _Scores = {}

        def lang_of(place: int) -> str:
            number = int(numpy.searchsorted(row.starts, place, side="right")) - 1
            return langs[min(number, len(langs) - 1)]

        def parts() -> Iterator[numpy.ndarray]:
            for part in row.floor.blocks(row.text, BLOCK):
                labels = self._labels(row, part.start, part.stop, bias, scores)
                row.floor.apply(labels, part.start)
                join_abbreviations(labels, row.text, part.start, lang_of)
                yield labels

        def words(start: int, end: int) -> tuple[str, ...]:
            return self._split(row.text[start:end], lang_of(start), *scores.pop(end))

        return sentences_of(row.shown, parts(), words, row.starts.tolist())

    @torch.no_grad()
    def _told(self, row: _Row) -> tuple[torch.Tensor, list[str]]:
        """Returns the network's language input for each paragraph, or for all, and its language."""
        model = self._model
        vectors = model.langs.weight[self._chosen]
        if len(vectors) == 1:
            return model.layered(vectors), self._langs
        part = slice(0, min(int(row.starts[-1]) + _GUESSED_BY, len(row.text)))
        character_vectors = self._features(row, slice(0, part.stop + MARGIN))[0, : part.stop]
        text_of = row.text_of(part)
        place = numpy.arange(part.stop)
        chosen = (place < row.ends[text_of]) & (place < row.starts[text_of] + _GUESSED_BY)
        sums = character_vectors.new_zeros(len(row.starts), character_vectors.shape[-1])
        sums.index_add_(
            0, self._tensor(text_of[chosen]), character_vectors[self._tensor(place[chosen])]
        )
        counts = self._tensor(numpy.bincount(text_of[chosen])).unsqueeze(1)
        shares = model.guess(sums / counts)[:, self._chosen].softmax(-1)
        langs = [self._langs[number] for number in shares.argmax(-1).tolist()]
        return model.layered(shares @ vectors), langs

    @torch.no_grad()
    def _labels(
        self, row: _Row, start: int, end: int, bias: torch.Tensor, scores: _Scores
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
        character_vectors = self._features(row, part, padding)
        mask = text_of = None
        if padding or len(row.starts) > 1:
            numbers = row.text_of(slice(part.start, part.stop + padding))
            is_text = numpy.arange(part.start, part.stop + padding) < row.ends[numbers]
            mask = self._tensor(is_text).unsqueeze(0)
            text_of = self._tensor(numbers).unsqueeze(0) if len(bias) > 1 else None
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

    def _features(self, row: _Row, part: slice, padding: int = 0) -> torch.Tensor:
        text = row.seen[part] + _NOTHING * padding
        numbers = features(text, numpy.pad(row.states[part], (0, padding)))
        hashes, classes = (self._tensor(values).unsqueeze(0) for values in numbers)
        return self._model.network.features(hashes, classes)

    def _tensor(self, values: numpy.ndarray) -> torch.Tensor:
        return torch.from_numpy(values).to(self._model.flags.weight.device)

    def _split(
        self, form: str, lang: str, scores: numpy.ndarray, best: list[int]
    ) -> tuple[str, ...]:
        """Returns the words of a multiword token; empty if no rule makes several of it."""
        model = self._model
        seen = _straight(form)
        rules_of_form = model.known_forms.get((lang, form.lower())) or model.known_forms.get(
            (lang, seen.lower())
        )
        parts = model.known_parts.get(lang, ())
        likeliest: tuple[str, ...] = ()
        for rule in (
            sorted(rules_of_form, key=lambda rule: -scores[rule]) if rules_of_form else best
        ):
            name = model.vocab.get_token_from_index(rule, RULES)
            words = cased_like(form, _splits(form, name))
            if len(words) == 1:
                continue
            new = sum(word.lower() not in parts for word in words)
            if not rules_of_form:
                seen_in = model.known_edges.get((lang, rule, edges(seen, name)), 0)
                # One token says little of what to write beside a word that no token had.
                writes = len("".join(words)) > len(form)
                if seen_in < (2 if new and writes else 1):
                    continue
            if rules_of_form or new <= 1:
                return words
            likeliest = likeliest or words
        return likeliest
