"""
Rules for a text that override a network: positions where nothing ends, where a token ends, and
periods after which a sentence continues or ends.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy

from udify_allennlp.segmentation.joined_tokens import is_inside
from udify_allennlp.segmentation.joined_words import LONGEST_TOKEN
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.text.abbreviations import LETTERS, goes_on
from udify_allennlp.text.brackets import bracket_ends, enclosed
from udify_allennlp.text.clitic_tokens import token_ends
from udify_allennlp.text.kept_whole import continues, spans
from udify_allennlp.text.line_ends import line_ends
from udify_allennlp.text.partitives import partitive_ends
from udify_allennlp.text.sentence_marks import closings, stops
from udify_allennlp.text.sentence_openers import letter_ends
from udify_allennlp.text.unspaced import inside_words
from udify_allennlp.text.word_rules import LETTERS_PART, PERIODS_PART

_BEHIND_WORDS = ".-–/:)]}"
_SLASH = re.compile(r"(?<=[^\W\d_])/(?=[^\W\d_])")


class Floor(NamedTuple):
    """Facts about each character of a text, bool `(len(text),)`."""

    continues: numpy.ndarray
    """A character sequence that is seen as one, or a Japanese verb, continues after it."""
    is_span: numpy.ndarray
    """It is part of an address, a tag, an entity, a date or a telephone number."""
    is_inside: numpy.ndarray
    """It is part of one that continues after it."""
    is_border: numpy.ndarray
    """A token ends after it, because such a part begins or ends there."""
    is_number: numpy.ndarray
    """It is a digit before the period that ends a paragraph of several words."""
    is_stop: numpy.ndarray
    """It certainly ends a sentence: `。` outside brackets, or the end of an item of a list."""
    is_mark: numpy.ndarray
    """No sentence ends there: it is in the mark of an item of a list, or at `Berlin/Germany`."""
    is_open: numpy.ndarray
    """The next character is part of the same sentence: a closing quotation mark."""

    def apply(self, labels: numpy.ndarray, start: int) -> None:
        """
        Corrects the labels of the characters from `start` on, uint8 `(n,)`, in place. They have to
        begin and end between two user-perceived characters.
        """
        part = slice(start, start + len(labels))
        labels[self.is_span[part]] &= ~MULTIWORD & 0xFF
        labels[self.is_inside[part]] = 0
        labels[self.is_border[part]] |= TOKEN
        early = numpy.flatnonzero(self.continues[part] & (labels > 0))
        lasts = numpy.flatnonzero(~self.continues[part])
        behind = lasts[numpy.searchsorted(lasts, early)]
        numpy.bitwise_or.at(labels, behind, labels[early] & (TOKEN | SENTENCE))
        labels[early] = 0

    def end_certain(self, labels: numpy.ndarray, start: int) -> None:
        """
        Ends, in place, sentences at `。` and where lines certainly end one, and the tokens of
        numbers before the period that ends a paragraph: `in 1999.`; those of ordinals as well,
        which rarely end one. Removes ends of sentences inside marks of items and at slashes.
        Other parameters as for `apply`.
        """
        part = slice(start, start + len(labels))
        labels[self.is_mark[part]] &= ~SENTENCE & 0xFF
        labels[self.is_number[part]] |= TOKEN
        labels[self.is_stop[part]] |= TOKEN | SENTENCE

    def blocks(self, text: str, size: int) -> Iterator[slice]:
        """
        Yields parts of about `size` characters, none of which begins inside a span that the rules
        inspect, at a hyphen, another joining sign or a closing bracket after a word, or inside
        `LONGEST_TOKEN` Arabic letters.
        """
        start = 0
        while start < len(text):
            end = start + size
            while end < len(text) and (
                self.continues[end - 1]
                or self.is_open[end - 1]
                or (text[end] in _BEHIND_WORDS and text[end - 1].isalnum())
                or (end < start + size + LONGEST_TOKEN and is_inside(text, end))
            ):
                end += 1
            yield slice(start, min(end, len(text)))
            start = end


def floor_of(text: str, starts: Sequence[int], ends: Sequence[int]) -> Floor:
    """
    Returns the rules of a text whose paragraphs have white space or nothing visible between them.
    """
    is_span, is_inside, is_border, is_number, is_stop = numpy.zeros((5, len(text)), dtype=bool)
    is_mark, is_open = numpy.zeros((2, len(text)), dtype=bool)
    for first, last in zip(starts, ends):
        for begin, end, opens, closes in spans(text[first:last]):
            is_span[first + begin : first + end] = True
            is_inside[first + begin : first + end - 1] = True
            is_border[first + end - 1] |= closes
            if begin:
                is_border[first + begin - 1] |= opens and not text[first + begin - 1].isspace()
        place = last - 2
        if place > first and text[last - 1] == "." and text[place].isdecimal():
            # A date ends no token by itself: `2024-11-28-án`.
            is_number[place] = " " in text[first:place] and not is_border[place]
        is_stop[list(stops(text, first, last))] = True
        lines = line_ends(text[first:last])
        is_stop[[first + end - 1 for end in lines.ends]] = True
        for begin, end in lines.marks:
            is_mark[first + begin : first + end] = True
    for match in _SLASH.finditer(text):
        is_mark[match.start() - 1 : match.end()] = True
    for begin, end in closings(text):
        is_open[begin:end] = True
    whole = continues(text) | inside_words(text)
    facts = is_span, is_inside, is_border, is_number, is_stop, is_mark, is_open
    return Floor(whole, *facts)


def end_after_letters(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, the sentences in a language that `letter_ends` finds. Other parameters as for
    `join_abbreviations`.
    """
    for end in letter_ends(text, lang, start, start + len(labels)):
        if lang_of(end - 1) == lang:
            is_unit = text[end - 2].islower()
            if not (is_unit and labels[end - 1 - start] & SENTENCE):
                labels[end - 2 - start] |= TOKEN  # `blocks` cut nothing between the two
            labels[end - 1 - start] = TOKEN | SENTENCE


def end_at_brackets(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, tokens in a language at the brackets that `bracket_ends` finds. Other parameters
    as for `join_abbreviations`.
    """
    for end in bracket_ends(text, lang, start, start + len(labels)):
        if end > start and lang_of(end - 1) == lang:
            labels[end - 1 - start] |= TOKEN


def go_on_in_brackets(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Removes, in place, the ends of sentences in a language inside the brackets that `enclosed`
    finds. Other parameters as for `join_abbreviations`.
    """
    for first, end in enclosed(text, lang, start, start + len(labels)):
        if lang_of(first) == lang:
            labels[max(0, first - start) : max(0, end - start)] &= ~SENTENCE & 0xFF


def end_before_clitics(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, the tokens of words with clitics in a language, and nothing else inside these.
    Other parameters as for `join_abbreviations`.
    """
    for first, ends in token_ends(text, lang, start, start + len(labels)):
        if lang_of(ends[-1] - 1) == lang:
            labels[max(0, first - start) : ends[-1] - 1 - start] = 0
            labels[[end - 1 - start for end in ends[:-1] if end > start]] = TOKEN
            labels[ends[-1] - 1 - start] |= TOKEN


def join_multiwords(
    labels: numpy.ndarray,
    spans: Iterable[tuple[int, int]],
    start: int,
    lang: str,
    lang_of: Callable[[int], str],
) -> None:
    """
    Makes, in place, multiword tokens of the `spans` in a language, inside which nothing ends. Other
    parameters as for `join_abbreviations`.
    """
    for first, end in spans:
        if lang_of(end - 1) == lang:
            labels[max(0, first - start) : end - 1 - start] = 0
            labels[end - 1 - start] |= MULTIWORD


def keep_articles(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Makes, in place, no multiword tokens of the articles in a language that `partitive_ends` finds.
    Other parameters as for `join_abbreviations`.
    """
    for end in partitive_ends(text, lang, start, start + len(labels)):
        if lang_of(end - 1) == lang:
            labels[end - 1 - start] &= ~MULTIWORD & 0xFF


def join_abbreviations(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Removes, in place, the end of a sentence from periods after which it continues, and ends inside
    letters with periods, as in `U.S.`. For periods within a sentence, also removes the end of the
    token before them, unless periods are separate words in the language.

    # Parameters

    labels : `numpy.ndarray`
        Labels of the characters of `text` from `start` on.
    lang_of : `Callable[[int], str]`
        Returns the language at a position of the text.
    """
    for match in LETTERS.finditer(text, start, start + len(labels)):
        if lang_of(match.start()) not in LETTERS_PART:
            # At the end of a sentence, the network may separate the last period.
            place = match.end() - 1 - start
            is_end = labels[place] & SENTENCE and text[place + start] == "."
            labels[match.start() - start : place - 1 if is_end else place] = 0
    ends = labels & TOKEN > 0
    alone = ends & numpy.concatenate([[False], ends[:-1]])
    for place in numpy.flatnonzero((labels & SENTENCE > 0) | alone).tolist():
        end = start + place + 1
        if text[end - 1] != ".":
            continue
        lang = lang_of(end - 1)
        if goes_on(lang)(text, end):
            labels[place] = TOKEN
            if place and lang not in PERIODS_PART:
                labels[place - 1] = 0
