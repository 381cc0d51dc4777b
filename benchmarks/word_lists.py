"""
Word lists (form, lemma, UPOS) as a source of lemmas: a folder with `languages.tsv`, which lists the
tables of each language, and tables `NAME.tsv.xz` with form, lemma and UPOS (`_` if unknown) as
their first columns.
"""

import lzma
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)

from udify_allennlp.data.known_words import NAMES
from udify_allennlp.data.lemma_lookup import ANY
from udify_allennlp.text.casing import spellings
from udify_allennlp.text.line_reader import read_rows

AS_VERBS = "AUX"
"""Lists call auxiliaries verbs."""


class Word(NamedTuple):
    """A form in a word list, with a lemma that the list has for this UPOS."""

    form: str
    upos: str
    lemma: str


class WordList:
    """
    The tables of a language; they give a form one or several lemmas by part of speech.

    # Parameters

    folder : `Path`
    lang : `str`
        Its code in `languages.tsv`.
    """

    def __init__(self, folder: Path, lang: str) -> None:
        self._lang = lang
        self._lemmas: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for form, lemma, upos, *_ in rows_of(folder, lang):
            self._lemmas[form, upos].add(lemma)

    def __len__(self) -> int:
        return len(self._lemmas)

    def lemma(self, form: str, upos: str) -> str:
        """Returns the only lemma of a word; an empty string if the list has none, or several."""
        key = "VERB" if upos == AS_VERBS else upos
        for spelling in spellings(form, self._lang, upos):
            for own in (key, ANY):
                lemmas = self._lemmas.get((spelling, own))
                if lemmas:
                    return next(iter(lemmas)) if len(lemmas) == 1 else ""
        return ""

    def words(self, known: Collection[str]) -> Iterator[Word]:
        """
        Yields its words with one lemma, except names, phrases and the forms `known`; `ANY` is their
        UPOS if the list has none.
        """
        for (form, upos), lemmas in self._lemmas.items():
            if len(lemmas) == 1 and upos != NAMES and form not in known and form.isalpha():
                yield Word(form, upos, next(iter(lemmas)))

    def readings(self) -> Iterator[Word]:
        """Yields each form with each of its parts of speech and lemmas, also of names."""
        for (form, upos), lemmas in self._lemmas.items():
            yield from (Word(form, upos, lemma) for lemma in lemmas)


def rows_of(folder: Path, lang: str) -> Iterator[list[str]]:
    """Yields the cells of each row in the tables of a language."""
    for table in _tables(folder).get(lang, ()):
        with lzma.open(folder / f"{table}.tsv.xz", "rt", encoding="utf-8") as rows:
            for row in rows:
                yield row.rstrip("\n").split("\t")


def _tables(folder: Path) -> dict[str, list[str]]:
    """Returns the tables of each language, by its code."""
    rows = read_rows(folder / "languages.tsv")
    return {row["ud_code"]: row["tables (first wins)"].split() for row in rows}
