"""The patterns of English that `python -m docs.style` finds: a table, spellings and terms."""

from collections.abc import Iterable

from docs.reference.markdown import table
from docs.style.patterns import PATTERNS, SPELLINGS, TERMS, Pattern


def markdown() -> str:
    """A row for each pattern, the spellings and the terms."""
    terms = "; ".join(f"**{right}** (not {', '.join(wrong)})" for right, wrong in TERMS.items())
    spellings = ", ".join(SPELLINGS.values())
    return f"{_table(PATTERNS)}\nSpelling: {spellings}.\n\nTerms in code: {terms}.\n"


def summary() -> str:
    """The patterns that pages must not have."""
    return _table(pattern for pattern in PATTERNS if "page" in pattern.kinds)


def _table(patterns: Iterable[Pattern]) -> str:
    return table(("not", "but"), ((pattern.wrong, pattern.right) for pattern in patterns))
