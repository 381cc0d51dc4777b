"""Places of the characters of a text that is respelled for tokenizers and models."""

from collections.abc import Iterable

Places = tuple[list[int], list[int]]
"""The start and the end of each new character in the text as written."""


def places_of(parts: Iterable[tuple[str, str]]) -> Places:
    """
    Returns the places of the characters of a new text, given the parts of the text as written, each
    with its new spelling. The first character of a spelling has all of its part, others are empty.
    Parts that are left out belong to the character before them, or after white space to the one
    behind them.
    """
    starts: list[int] = []
    ends: list[int] = []
    start = end = 0
    is_behind_space = True
    for part, spelling in parts:
        end += len(part)
        if spelling:
            starts += [start] + [end] * (len(spelling) - 1)
            ends += [end] * len(spelling)
            is_behind_space = spelling.isspace()
        elif not is_behind_space:
            ends[-1] = end
        else:
            continue
        start = end
    return starts, ends
