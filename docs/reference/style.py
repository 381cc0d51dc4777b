"""The patterns of English that `python -m docs.style` finds: a table, spellings and terms."""

from docs.reference.markdown import table
from docs.style.patterns import PATTERNS, SPELLINGS, TERMS


def markdown() -> str:
    """A row for each pattern, the spellings and the terms."""
    rows = [(pattern.wrong, pattern.right, pattern.cure) for pattern in PATTERNS]
    words = ", ".join(SPELLINGS.values())
    terms = "; ".join(f"**{right}** (not {', '.join(wrong)})" for right, wrong in TERMS.items())
    head = table(("not", "but", "write"), rows)
    return f"{head}\nSpelling: {words}.\n\nTerms in code: {terms}.\n"
