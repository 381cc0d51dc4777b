"""
Latin letters in Cyrillic words, and the reverse: keyboards and scans give Belarusian `сiтуацыя` a
Latin `i`. Models see the words in one alphabet.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

_PAIRS = str.maketrans("aceiopxyhABCEHIKMOPTXëïËÏ", "асеіорхуһАВСЕНІКМОРТХёїЁЇ")
_BACK = {cyrillic: latin for latin, cyrillic in _PAIRS.items()}
_LATIN, _CYRILLIC = re.compile("[A-Za-zÀ-ɏ]"), re.compile("[Ѐ-ԯ]")
_MIXED = re.compile("[A-Za-zÀ-ɏ][Ѐ-ԯ]|[Ѐ-ԯ][A-Za-zÀ-ɏ]")


def are_mixed(text: str) -> bool:
    """Returns whether a text has a Latin letter beside a Cyrillic one."""
    return _MIXED.search(text) is not None


class Alphabet(NamedTuple):
    """
    The letters of a language, of which `is_cyrillic` has the alphabet. It may have letters of the
    other one as well: Abaza has `I`, and no Cyrillic letter like that.
    """

    letters: Collection[str]
    is_cyrillic: bool

    def respelled(self, form: str) -> str:
        """
        Returns a form with its letters of the other alphabet in that of the language; the form
        itself if the language has them, or lacks one that looks alike.
        """
        other = _LATIN if self.is_cyrillic else _CYRILLIC
        found = form.translate(_PAIRS if self.is_cyrillic else _BACK)
        return form if other.search(found) or not {*found} <= {*form, *self.letters} else found


def alphabet(words: Collection[str]) -> Alphabet:
    """Returns the alphabet of a language, the letters that one in 1,000 of its words has."""
    counts: dict[str, int] = {}
    for word in words:
        for letter in {*word}:
            counts[letter] = counts.get(letter, 0) + 1
    fewest = len(words) / 1000
    letters = frozenset(letter for letter, count in counts.items() if count >= fewest)
    text = "".join(letters)
    return Alphabet(letters, len(_CYRILLIC.findall(text)) > len(_LATIN.findall(text)))
