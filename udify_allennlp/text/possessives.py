"""English plural possessives: in `the students' books`, the apostrophe is a separate word."""

import re
from collections.abc import Iterator

from udify_allennlp.text.contractions import WORD_START
from udify_allennlp.text.cutting import ending_in

_LONGEST, _QUOTED = 32, 200
_FORM = re.compile(r"[^\W\d_]{2,30}s['’]", re.IGNORECASE)
_POSSESSIVE = re.compile(rf"{WORD_START}{_FORM.pattern}(?=\s\w)", re.IGNORECASE)
ELIDED = r"(?:\d0s|bout|cause|cos|cuz|em|n|till?|twas)\b"
"""Words behind an apostrophe that is part of them: `'60s`, `'til`."""
_OPENING = re.compile(rf"(?<![\w'’])['‘](?!{ELIDED})(?=\w)")


def possessive(form: str, lang: str) -> tuple[str, ...]:
    """Returns the two words of a token such as `students'`, lower-cased; empty for any other."""
    if lang != "en" or _FORM.fullmatch(form) is None:
        return ()
    return (form[:-1].lower(), form[-1])


def possessive_spans(text: str, lang: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """
    Yields the start and the end of each of them in a part of a text, in order, before another word:
    `start < end <= stop`; none of those that may end a quotation, which began shortly before.
    """
    if lang != "en":
        return
    for match in ending_in(_POSSESSIVE, text, start, stop, _LONGEST, after=2):
        first, end = match.span()
        if not is_quoted(text, first):
            yield first, end


def is_quoted(text: str, place: int) -> bool:
    """Returns whether a quotation in single marks began shortly before a place, or there."""
    return _OPENING.search(text, max(0, place - _QUOTED), place + 1) is not None
