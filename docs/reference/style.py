"""The patterns of English that `python -m docs.style` finds, as a table."""

from collections.abc import Iterable

from docs.reference.markdown import table
from docs.style.patterns import PATTERNS, SPELLINGS, Pattern


def markdown() -> str:
    """A row for each pattern, and the spellings."""
    return f"{_table(PATTERNS)}\nSpelling: {', '.join(SPELLINGS.values())}.\n"


def summary() -> str:
    """The patterns that pages must not have."""
    return _table(pattern for pattern in PATTERNS if "page" in pattern.kinds)


def _table(patterns: Iterable[Pattern]) -> str:
    return table(("not", "but"), ((pattern.wrong, pattern.right) for pattern in patterns))
