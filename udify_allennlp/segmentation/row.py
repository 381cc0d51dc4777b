"""Paragraphs side by side as one input of the network."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from udify_allennlp.segmentation.character_features import features
from udify_allennlp.segmentation.floor import Floor, floor_of
from udify_allennlp.text.unspaced import dictionary_states

GAP = 16
"""
Number of characters between two paragraphs of a row; no layer of a network may reach further.
"""
SHORT = 1024
"""Number of characters up to which torch's convolution has more overhead than computation."""
NOTHING = "\0"
# Between Latin letters: in Cyrillic, it is a letter, and was one in training.
_APOSTROPHE = re.compile("(?<=[A-Za-zÀ-ɏ])[’´`](?=[A-Za-zÀ-ɏ])")
# Treebanks hardly ever have them: no-break, figure, thin and narrow no-break spaces.
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ")


class Row(NamedTuple):
    """Paragraphs without the white space around them, `GAP` characters apart."""

    text: str
    starts: numpy.ndarray
    ends: numpy.ndarray
    shown: str
    """The text with spaces between the paragraphs, where `text` has padding."""
    states: numpy.ndarray
    seen: str
    """
    The input of the network: `text` with straight apostrophes inside words and plain spaces, as in
    training.
    """
    floor: Floor

    def text_of(self, part: slice) -> numpy.ndarray:
        """Returns the number of the paragraph that each position belongs to, or follows."""
        places = numpy.arange(part.start, part.stop)
        return numpy.searchsorted(self.starts, places, side="right") - 1

    def features(self, part: slice, padding: int = 0) -> tuple[numpy.ndarray, ...]:
        """
        Returns the hashes and the classes of a part's characters (`character_features.py`), and
        those of padding behind it.
        """
        text = self.seen[part] + NOTHING * padding
        return features(text, numpy.pad(self.states[part], (0, padding)))

    def paragraph(self, number: int) -> str:
        """Returns the text of a paragraph."""
        return self.text[self.starts[number] : self.ends[number]]


def row_of(texts: Sequence[str]) -> Row:
    """Returns the paragraphs, without the white space around them, as a row."""
    lengths = numpy.array([len(text) for text in texts])
    starts = numpy.concatenate([[0], numpy.cumsum(lengths + GAP)[:-1]])
    text, shown = ((sign * GAP).join(texts) for sign in (NOTHING, " "))
    ends = starts + lengths
    states, seen = dictionary_states(text), straight(text)
    floor = floor_of(text, starts.tolist(), ends.tolist())
    return Row(text, starts, ends, shown, states, seen, floor)


def straight(text: str) -> str:
    """
    Returns the text with straight apostrophes between Latin letters, also for accents that stand
    for them (`it´s`), and with plain spaces; the length is the same.
    """
    return _APOSTROPHE.sub("'", text).translate(_SPACES)
