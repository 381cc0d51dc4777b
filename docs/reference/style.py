"""The patterns of English that `python -m docs.style` finds, as a table."""

from docs.reference.markdown import table
from docs.style.patterns import PATTERNS, SPELLINGS


def markdown() -> str:
    """A row for each pattern, and the spellings."""
    rows = [(pattern.wrong, pattern.right) for pattern in PATTERNS]
    words = ", ".join(SPELLINGS.values())
    return f"{table(('not', 'but'), rows)}\nSpelling: {words}.\n"
