"""Suggestions for misspelled names."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """
    Returns ` Did you mean ...?` with the one of `words` most similar to `word`, or an empty string.
    """
    matches = get_close_matches(word, list(words), n=1)
    return f" Did you mean {matches[0]}?" if matches else ""
