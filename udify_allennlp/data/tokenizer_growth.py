"""The number of characters that the replacements of a tokenizer can make from one."""

from typing import Any

MAX_GROWTH = 64
"""
Maximum number of characters that a tokenizer's replacements may make from one; common tokenizers
make one or two. Forty doublings in a row exhaust memory, and the library then terminates the
process.
"""


def growth(normalizer: Any) -> float:
    """
    Returns the maximum number of characters that a normalizer of the package tokenizers makes from
    one, by its replacements and prefixes; its other steps depend on no setting.
    """
    if not isinstance(normalizer, dict):
        return 1.0
    product = 1.0
    for part in normalizer.get("normalizers") or ():
        product *= growth(part)
    for text in (normalizer.get("content"), normalizer.get("prepend")):
        product *= max(1, len(text)) if isinstance(text, str) else 1
    return product
