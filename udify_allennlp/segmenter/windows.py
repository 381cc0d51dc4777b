"""Windows of treebanks for the training of the segmenter, with the noise of real texts."""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy
import torch
from allennlp.data import Vocabulary

from udify_allennlp.segmentation.character_features import (
    KINDS,
    codes_of,
    features,
    is_space,
)
from udify_allennlp.segmentation.labels import labels_of
from udify_allennlp.segmentation.multiword_rules import RULES
from udify_allennlp.segmentation.row import GAP, NOTHING
from udify_allennlp.segmenter.reader import Document
from udify_allennlp.text.multiwords import make_split
from udify_allennlp.text.raw_text import Token
from udify_allennlp.text.unspaced import dictionary_states

REACH = 64
"""
Maximum number of characters on either side that a label may depend on; labels this close to a cut
are not scored.
"""
UNKNOWN = -1
"""Placeholder for a number: of a rule that the vocabulary lacks, or of an unknown language."""
_LINE = 80  # characters of a line, in texts that are broken into lines


class LabelledSentence(NamedTuple):
    """One sentence of a treebank, with the gold labels of its characters for the segmenter."""

    text: str
    labels: numpy.ndarray
    """See `labels.py`."""
    rules: numpy.ndarray
    """The rule of the multiword token that ends at a character; `UNKNOWN` elsewhere."""
    behind: Optional[str]
    """White space between it and the next sentence; `None` at the end of a paragraph."""


class Window(NamedTuple):
    """Consecutive sentences in one text."""

    text: str
    labels: numpy.ndarray
    rules: numpy.ndarray
    is_cut: bool
    """True if the text continues."""


def labelled_sentences(document: Document, vocab: Vocabulary) -> list[LabelledSentence]:
    """Returns the sentences of a document, in order."""
    numbers = vocab.get_token_to_index_vocabulary(RULES)
    labelled: list[LabelledSentence] = []
    for text, sentences in document.paragraphs:
        ends = [tokens[-1].end for tokens in sentences]
        starts = [*(tokens[0].start for tokens in sentences), len(text)]
        for number, tokens in enumerate(sentences):
            start, end = starts[number], ends[number]
            rules = numpy.full(end - start, UNKNOWN)
            for token in tokens:
                if token.words:
                    rule = make_split(text[token.start : token.end], token.words)
                    rules[token.end - start - 1] = numbers.get(rule, UNKNOWN)
            shifted = [Token(t.start - start, t.end - start, t.words) for t in tokens]
            behind = text[end : starts[number + 1]] if number + 1 < len(sentences) else None
            labelled.append(
                LabelledSentence(text[start:end], labels_of(end - start, [shifted]), rules, behind)
            )
    return labelled


def make_window(
    sentences: Sequence[LabelledSentence],
    first: int,
    size: int,
    noise: float,
    generator: numpy.random.Generator,
) -> Window:
    """
    Makes a window of `size` characters, starting at sentence number `first`: paragraphs are
    separated by `GAP` characters of `\\0`. With probability `noise` each, a window has a line for
    each sentence, lines of about 80 characters, all paragraphs joined, or curly apostrophes; a
    fifth as often it is in capitals, and a tenth as often the space between sentences is removed or
    added.
    """
    a_line_each, lines, together, curly = generator.random(4) < noise
    capitals = generator.random() < noise / 5
    texts: list[str] = []
    labels: list[numpy.ndarray] = []
    rules: list[numpy.ndarray] = []
    length = 0
    for number in range(first, len(sentences)):
        sentence = sentences[number]
        space = sentence.behind
        if space is None:
            space = " " if together else NOTHING * GAP
        elif a_line_each:
            space = "\n"
        elif generator.random() < noise / 10:
            space = "" if space else " "
        texts += [sentence.text, space]
        labels += [sentence.labels, numpy.zeros(len(space), dtype=numpy.uint8)]
        rules += [sentence.rules, numpy.full(len(space), UNKNOWN)]
        length += len(sentence.text) + len(space)
        if length >= size:
            break
    length -= len(texts[-1])
    text = "".join(texts)
    if lines:
        text = _in_lines(text)
    if curly:
        text = text.replace("'", "’")
    if capitals:
        text = _in_capitals(text)
    is_cut = length > size
    end = min(size, length)
    return Window(
        text[:end], numpy.concatenate(labels)[:end], numpy.concatenate(rules)[:end], is_cut
    )


def _in_lines(text: str) -> str:
    """Returns a text of the same length, with line ends instead of some spaces."""
    place = 0
    while (place := text.find(" ", place + _LINE)) >= 0:
        text = f"{text[:place]}\n{text[place + 1 :]}"
    return text


def _in_capitals(text: str) -> str:
    """Returns the text in upper case, but for letters whose upper case is several."""
    return "".join(upper if len(upper := letter.upper()) == 1 else letter for letter in text)


def batch_of(windows: Sequence[Window], langs: Sequence[int]) -> dict[str, torch.Tensor]:
    """
    Returns the segmenter's training batch, padded to the longest window:

    - `hashes` `(batch, n, kinds)` and `classes`, `mask` `(batch, n)`: see `CharacterNetwork`;
    - `langs` `(batch,)`;
    - `labels`, `rules` `(batch, n)`: see `Window`;
    - `scored` `(batch, n)`: a mask of the labels that count, those of visible characters further
      than `REACH` from a cut in the text.
    """
    length = max(len(window.text) for window in windows)
    shape = len(windows), length
    batch = {
        "hashes": numpy.zeros((*shape, KINDS), dtype=numpy.int64),
        "classes": numpy.zeros(shape, dtype=numpy.int64),
        "mask": numpy.zeros(shape, dtype=bool),
        "labels": numpy.zeros(shape, dtype=numpy.int64),
        "rules": numpy.full(shape, UNKNOWN),
        "scored": numpy.zeros(shape, dtype=bool),
    }
    for row, window in enumerate(windows):
        n = len(window.text)
        text_features = features(window.text, dictionary_states(window.text))
        batch["hashes"][row, :n] = text_features.hashes
        batch["classes"][row, :n] = text_features.classes
        batch["mask"][row, :n] = codes_of(window.text) != ord(NOTHING)
        batch["labels"][row, :n] = window.labels
        batch["rules"][row, :n] = window.rules
        batch["scored"][row, :n] = batch["mask"][row, :n] & ~is_space(window.text)
        if window.is_cut:
            batch["scored"][row, max(n - REACH, 0) : n] = False
    batch["langs"] = numpy.asarray(langs)
    return {name: torch.from_numpy(values) for name, values in batch.items()}
