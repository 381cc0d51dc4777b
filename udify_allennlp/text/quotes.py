"""
Straight quotation marks without a partner: inch marks, or forgotten ones. sentencex ends no
sentence between two marks, so an odd one swaps inside and outside in all the following text. Curly
marks count there only with a partner.
"""

from typing import Optional

_MARK = '"'
_NO_MARK = "″"
_BEFORE_OPENING = "([{-–—'‘“«„/"
_BEHIND_CLOSING = ".,;:!?)]}-–—'’”»…/"


def paired_quotes(text: str) -> str:
    """
    Returns the text with another sign for each straight quotation mark without a partner. A mark
    opens or closes according to the adjacent white space; with white space on both sides or on
    neither, it closes an open quotation (`"etxe"ak`), or else opens one if it has some.
    """
    alone: list[int] = []
    opened: Optional[int] = None
    place = text.find(_MARK)
    while place >= 0:
        is_opening = _opens(text, place, opened is not None)
        if is_opening == (opened is not None):
            alone.append(place if opened is None else opened)
        opened = place if is_opening else None
        place = text.find(_MARK, place + 1)
    if opened is not None:
        alone.append(opened)
    if not alone:
        return text
    characters = list(text)
    for place in alone:
        characters[place] = _NO_MARK
    return "".join(characters)


def _opens(text: str, place: int, is_open: bool) -> bool:
    """Returns whether the mark there opens a quotation, given whether one is open."""
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    may_open = not before or before.isspace() or before in _BEFORE_OPENING
    may_close = not behind or behind.isspace() or behind in _BEHIND_CLOSING
    if may_open != may_close:
        return may_open
    return may_open and not is_open
