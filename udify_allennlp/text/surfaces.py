"""The original text of the words of CoNLL-U: their forms and the white space in MISC."""

import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from udify_allennlp.text.misc_column import entries
from udify_allennlp.text.sentence import BOM, Sentence

_ESCAPES = {"\\": r"\\", " ": r"\s", "\t": r"\t", "\r": r"\r", "\n": r"\n", "|": r"\p"}
_UNESCAPES = {escaped: character for character, escaped in _ESCAPES.items()}
_SPECIAL = re.compile(r"[\s\\|]")
# UD writes other white space, such as a no-break space, by its number.
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\.")


class Surface(NamedTuple):
    """A token in its form in a text."""

    before: str
    """White space before it, if MISC has some."""
    text: str
    words: tuple[str, ...]
    """As in `Token`."""
    after: Optional[str]
    """White space after it; `None` if MISC has no entry, which means a space."""

    @property
    def whole(self) -> str:
        return self.before + self.text + (" " if self.after is None else self.after)


def surfaces(sentence: Sentence) -> Iterator[Surface]:
    """Yields the parts that make up the text of a sentence, token by token."""
    covered = 0
    forms = sentence.forms
    for row in sentence.text.removeprefix(BOM).replace("\r\n", "\n").split("\n"):
        cells = row.split("\t")
        first, dash, last = cells[0].partition("-")
        if not first.isdigit() or (not dash and int(first) <= covered):
            continue  # a comment, an empty node, or a word inside a multiword token
        covered = int(last or first)
        misc = entries(cells[9])
        after = misc.get("SpacesAfter", "" if misc.get("SpaceAfter") == "No" else None)
        yield Surface(
            _unescaped(misc.get("SpacesBefore", "")),
            _unescaped(misc.get("SpacesInToken", "")) or cells[1],
            tuple(forms[int(first) - 1 : covered]) if dash else (),
            None if after is None else _unescaped(after),
        )


def escaped(text: str) -> str:
    """Escapes a text as a value in MISC."""
    return _SPECIAL.sub(lambda match: _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}", text)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else _UNESCAPES.get(match[0], match[0]),
        text,
    )
