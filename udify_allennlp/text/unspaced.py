"""Scripts without spaces between words, and where ICU's dictionaries end words in them."""

import itertools
import re
from typing import Iterator

from udify_allennlp.text.cutting import pieces

_CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{_CHARACTERS}]")
"""A character of Thai and Lao, Burmese, Khmer, kana, Han."""
_RUN = re.compile(f"[{_CHARACTERS}]+")


def dictionary_words(text: str) -> Iterator[range]:
    """
    The words of all that is in such scripts, by ICU. Its time grows with the length of the text:
    of a longer run it sees `PIECE` characters at a time.
    """
    from icu4py.breakers import WordBreaker

    for run in _RUN.finditer(text):
        for start, piece in pieces(run[0]):
            # ICU's own offsets count UTF-16 units, which are not Python's characters.
            lengths = map(len, WordBreaker(piece, "en"))
            ends = itertools.accumulate(lengths, initial=run.start() + start)
            yield from itertools.starmap(range, itertools.pairwise(ends))
