"""Rules for punctuation that override the ends of sentences of a network."""

from collections.abc import Callable
from itertools import chain

import numpy

from udify_allennlp.segmentation.floor import Floor
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN
from udify_allennlp.text.closing_abbreviations import closing_ends
from udify_allennlp.text.sentence_marks import capital_ends, is_unmarked, speeches


def go_on_after_speech(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Removes, in place, the ends of sentences in a language at the `speeches` in a text. Other
    parameters as for `floor.join_abbreviations`.
    """
    for first, end in speeches(text, lang, start, start + len(labels)):
        if lang_of(first) == lang:
            labels[max(0, first - start) : max(0, end - start)] &= ~SENTENCE & 0xFF


def go_on_without_marks(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Removes, in place, the ends of sentences that are `is_unmarked`. Parameters as for
    `floor.join_abbreviations`.
    """
    for place in numpy.flatnonzero(labels & SENTENCE).tolist():
        end = start + place + 1
        if is_unmarked(text, lang_of(end - 1), end):
            labels[place] &= ~SENTENCE & 0xFF


def end_before_capitals(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, the sentences in a language that `capital_ends` and `closing_ends` find. Other
    parameters as for `floor.join_abbreviations`.
    """
    part = start, start + len(labels)
    for end in chain(capital_ends(text, lang, *part), closing_ends(text, lang, *part)):
        if lang_of(end - 1) == lang:
            labels[end - 1 - start] |= TOKEN | SENTENCE


def close_quotes(labels: numpy.ndarray, floor: Floor, start: int) -> None:
    """
    Moves, in place, ends of sentences behind the quotation marks that close them. Parameters as for
    `Floor.apply`.
    """
    for place in numpy.flatnonzero(floor.is_open[start : start + len(labels)]).tolist():
        if labels[place] & SENTENCE:
            labels[place] &= ~SENTENCE & 0xFF
            labels[place + 1] |= TOKEN | SENTENCE
