"""
Words that are written together: Hebrew and Arabic conjunctions, prepositions and pronouns with
other words. A few sentences of training do not show that Hebrew `לשון` (language) is one word and
not `ל` (to) with another.
"""

from collections.abc import Iterator
from pathlib import Path

from udify_allennlp.data.language_sections import lines_of_language

FILE = Path(__file__).with_name("token_words.txt")
"""
Sections `[language]` of lines `stem token token ...`, lower-cased. In a token `PLACE` stands for
the stem, and its words are joined by `PART`. `benchmarks/token_words.py` writes it.
"""
PART, PLACE = "+", "_"
LANGS = frozenset(["ar", "he"])
"""The languages in the list, so that others do not read it."""


def token_words(lang: str) -> Iterator[tuple[str, ...]]:
    """Yields the words of each token of a language in the list."""
    for line in lines_of_language(FILE, lang) if lang in LANGS else ():
        stem, *tokens = line.split(" ")
        yield from (tuple(token.replace(PLACE, stem).split(PART)) for token in tokens)
