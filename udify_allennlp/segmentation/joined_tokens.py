"""Tokens that are written together: Arabic conjunctions, prepositions and pronouns."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy

from udify_allennlp.data.token_words import token_words
from udify_allennlp.segmentation.joined_words import (
    LONGEST_TOKEN,
    ODDS,
    JoinedWords,
    affixes_of,
)
from udify_allennlp.segmentation.labels import TOKEN
from udify_allennlp.text.contractions import is_whole
from udify_allennlp.text.cutting import ending_in

LANGS = frozenset(["ar"])
"""Languages in which such words are tokens, unless training makes multiword tokens of them."""
_LETTER = "[\u0621-\u063a\u0641-\u064a]"
_TOGETHER = re.compile(
    rf"(?<![\w\u064b-\u0655]){_LETTER}{{2,{LONGEST_TOKEN}}}(?![\w\u064b-\u0655])"
)
_BEFORE_WHOLE = "وف"
"""Conjunctions that are written together with the next word."""
_INSIDE = re.compile(_LETTER * 2)


def is_inside(text: str, place: int) -> bool:
    """Returns whether a place lies between two letters of such words."""
    return _INSIDE.match(text, place - 1) is not None


def end_joined(
    labels: numpy.ndarray,
    of_end: numpy.ndarray,
    text: str,
    start: int,
    lang: str,
    lang_of: Callable[[int], str],
) -> None:
    """
    Ends, in place, the tokens of words that are written together in a language: those with the
    highest sum of the network's logits and their log-probability by `JoinedWords`, among one token,
    the most probable words, and the network's own tokens. Words that begin before the block or end
    behind it are left to the network.

    # Parameters

    of_end : `numpy.ndarray`
        The logit of the end of a token after each character, `(len(labels),)`.
    labels, text, start, lang, lang_of :
        As for `join_abbreviations`.
    """
    for match in ending_in(_TOGETHER, text, start, start + len(labels), LONGEST_TOKEN):
        if match.start() >= start and lang_of(match.end() - 1) == lang:
            inside = slice(match.start() - start, match.end() - 1 - start)
            own = numpy.flatnonzero(labels[inside] & TOKEN) + 1
            labels[inside] = 0
            labels[inside][_ends(match[0], own.tolist(), of_end[inside], lang)] = TOKEN


def _ends(form: str, own: Sequence[int], logits: numpy.ndarray, lang: str) -> list[int]:
    """Returns the places of the last characters of all tokens but the last."""
    if is_whole(form, lang):
        return []
    if form[0] in _BEFORE_WHOLE and is_whole(form[1:], lang):
        return [0]
    model = _model(lang)
    # The log-odds of each way to split the form, by these places.
    ways: dict[tuple[int, ...], float] = {(): 0.0}
    if split := model.split(form):
        ways[tuple(end - 1 for end in accumulate(map(len, split.words[:-1])))] = split.odds
    places = tuple(end - 1 for end in own)
    if places not in ways:
        ways[places] = model.odds([form[a:b] for a, b in pairwise([0, *own, len(form)])])
    best = max(ways, key=lambda way: ODDS * ways[way] + float(logits[list(way)].sum()))
    return [*best]


@lru_cache
def _model(lang: str) -> JoinedWords:
    tokens = [*token_words(lang)]
    return JoinedWords(tokens, affixes_of(tokens))
