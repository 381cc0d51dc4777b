"""
Sentences, tokens and multiword tokens as labels of characters, and back.

A label is a sum of flags at the last character of a token: `TOKEN`, with `SENTENCE` if it is the
last one of its sentence, and `MULTIWORD` if the token stands for several words. White space has
none; whether it is inside a token or between two depends on the character before it.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy

from udify_allennlp.segmentation.character_features import is_space
from udify_allennlp.text.cutting import MAX_PART, MAX_SENTENCE
from udify_allennlp.text.raw_text import Token

TOKEN, SENTENCE, MULTIWORD = 1, 2, 4

Words = Callable[[int, int], tuple[str, ...]]
"""A function from the first character of a multiword token and the one after it to its words."""


def labels_of(length: int, sentences: Iterable[Sequence[Token]]) -> numpy.ndarray:
    """Returns the labels of a text of `length` characters, uint8 `(length,)`."""
    labels = numpy.zeros(length, dtype=numpy.uint8)
    for tokens in sentences:
        labels[[token.end - 1 for token in tokens]] = TOKEN
        labels[[token.end - 1 for token in tokens if token.words]] |= MULTIWORD
        labels[tokens[-1].end - 1] |= SENTENCE
    return labels


def sentences_of(
    text: str, parts: Iterable[numpy.ndarray], words: Words, starts: Sequence[int] = (0,)
) -> Iterator[tuple[int, list[Token]]]:
    """
    Yields the sentences that labels define, each with the number of its paragraph. The last visible
    character of the text always ends a token and a sentence, and so do the last of `MAX_PART`
    visible characters without a `TOKEN` and of the tokens that fit in `MAX_SENTENCE` characters
    without a `SENTENCE`, so that results come in small parts. They do not depend on `parts`.

    # Parameters

    text : `str`
    parts : `Iterable[numpy.ndarray]`
        The labels of all characters from the first on, in parts of any length. A sentence is
        yielded as soon as the labels of its characters are known.
    words : `Words`
        Called for tokens with `MULTIWORD`, in order. Without words, the token is an ordinary word.
    starts : `Sequence[int]`
        Starts of the paragraphs of the text, from which the positions of their tokens are counted.
        Labels must end a sentence before each.
    """
    start = 0  # of the sentence that is open
    begins = numpy.asarray(starts)
    labels = numpy.zeros(0, dtype=numpy.uint8)  # of what is known from there on
    for part in parts:
        labels = numpy.concatenate([labels, part])
        visible = numpy.flatnonzero(~is_space(text[start : start + len(labels)]))
        at_end = start + len(labels) == len(text)
        firsts, ends = _tokens(labels, visible, at_end)
        ending = labels[ends - 1]
        paragraphs = numpy.searchsorted(begins, firsts + start, side="right") - 1
        shifts = start - begins[paragraphs]
        tokens = list(map(Token, (firsts + shifts).tolist(), (ends + shifts).tolist()))
        multiwords = iter(numpy.flatnonzero(ending & MULTIWORD).tolist())
        multiword = next(multiwords, len(tokens))
        closed = (numpy.flatnonzero(ending & SENTENCE) + 1).tolist()
        done = 0
        for first, last in _borders(len(labels), firsts.tolist(), ends.tolist(), closed):
            while multiword < last:
                token_words = words(start + int(firsts[multiword]), start + int(ends[multiword]))
                tokens[multiword] = tokens[multiword]._replace(words=token_words)
                multiword = next(multiwords, len(tokens))
            yield int(paragraphs[first]), tokens[first:last]
            done = int(ends[last - 1])
        start, labels = start + done, labels[done:]


def _tokens(
    labels: numpy.ndarray, visible: numpy.ndarray, at_end: bool
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """
    Returns the first characters of tokens whose end is known, and the characters after them. Adds
    missing labels if a token is too long or the text ends.
    """
    if at_end and len(visible):
        labels[visible[-1]] |= TOKEN | SENTENCE
    is_end = (labels[visible] & TOKEN) > 0
    numbers = numpy.arange(len(visible))
    # How many characters of its token stand before each.
    begins = numpy.concatenate([[0], numbers[1:] * is_end[:-1]]) if len(visible) else numbers
    before = numbers - numpy.maximum.accumulate(begins)
    is_end |= before % MAX_PART == MAX_PART - 1
    ends = visible[is_end]
    labels[ends] |= TOKEN
    firsts = visible[numpy.concatenate([[0], numbers[is_end] + 1])[: len(ends)].astype(int)]
    return firsts, ends + 1


def _borders(
    length: int, firsts: Sequence[int], ends: Sequence[int], closed: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yields the first token of each sentence whose end is known, and the one after its last."""
    first = 0
    for last in [*closed, None]:
        while first < len(ends):
            limit = firsts[first] + MAX_SENTENCE
            if limit >= (length if last is None else ends[last - 1]):
                break
            fitting = max(first + 1, bisect_right(ends, limit))
            yield first, fitting
            first = fitting
        if last is not None and first < last:
            yield first, last
            first = last
