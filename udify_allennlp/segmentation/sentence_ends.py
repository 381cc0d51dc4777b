"""Rules for punctuation that override the ends of sentences of a network."""

from collections.abc import Callable
from itertools import chain, pairwise

import numpy

from udify_allennlp.segmentation.character_features import is_space
from udify_allennlp.segmentation.floor import Floor
from udify_allennlp.segmentation.labels import SENTENCE, TOKEN
from udify_allennlp.text.closing_abbreviations import closing_ends
from udify_allennlp.text.sentence_marks import capital_ends, is_unmarked, speeches

_WITHOUT_MARKS = frozenset(["cop", "frm", "hit", "qaf", "th"])
"""Languages whose texts often lack marks at the ends of sentences, of which a network is unsure."""
_LONG, _SHORT = 150, 10
"""
Number of characters of a run that is hardly one sentence, and of the shortest part that is cut off.
"""
_POSSIBLE = -2.0
"""Logit above which the most probable end in such a run is taken."""
_WITHOUT_SPACES, _LONG_THERE, _MORE_AT_SPACES = frozenset(["th"]), 100, 2.0
"""
Languages without spaces between words, their `_LONG`, and what white space adds to the logit of an
end: there, it is often between sentences. Our choices, by development files.
"""


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


def end_inside_long(
    labels: numpy.ndarray,
    logits: numpy.ndarray,
    text: str,
    start: int,
    lang_of: Callable[[int], str],
) -> None:
    """
    Ends sentences, in place, inside runs of more than `_LONG` characters in a language without
    marks, each at the token that most probably ends one, until no such run is left: otherwise 100
    Thai sentences became 17. `logits` are those of the ends of sentences; other parameters as for
    `floor.join_abbreviations`.
    """
    ends = [-1, *numpy.flatnonzero(labels & SENTENCE).tolist(), len(labels) - 1]
    runs = [(before + 1, end) for before, end in pairwise(ends)]
    while runs:
        first, last = runs.pop()
        lang = lang_of(start + last)
        is_unspaced = lang in _WITHOUT_SPACES
        if last - first < (_LONG_THERE if is_unspaced else _LONG) or lang not in _WITHOUT_MARKS:
            continue
        inside = slice(first + _SHORT, last + 1 - _SHORT)
        own = numpy.where(labels[inside] & TOKEN, logits[inside], -numpy.inf)
        if is_unspaced:
            following = text[start + inside.start + 1 : start + inside.stop + 1]
            own += _MORE_AT_SPACES * is_space(following)
        if own.max() > _POSSIBLE:
            place = inside.start + int(own.argmax())
            labels[place] |= SENTENCE
            runs += [(first, place), (place + 1, last)]
