"""Vectors of the words of several languages in one space, with a file for each."""

import logging
import os
import re
from collections.abc import Mapping, Sequence
from typing import Optional

import numpy
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.static_vectors import StaticVectors

logger = logging.getLogger(__name__)

# fi.npz, fi.vec.gz; wiki.fi.vec, wiki.fi.align.vec, cc.fi.300.vec.gz (fastText); wiki.multi.fi.vec
# (MUSE).
_NAME = re.compile(
    r"(?:wiki\.|cc\.)?(?:multi\.)?(?P<lang>[a-z]{2,3}(?:[-_]\w+)?)(?:\.align|\.\d+)?"
    r"\.(?:npz|(?:vec|txt)(?:\.gz|\.xz)?)"
)


def file_language(path: str) -> Optional[str]:
    """The language that a file's name says, `fi` of `wiki.fi.align.vec`; `None` if none."""
    match = _NAME.fullmatch(os.path.basename(path))
    return None if match is None else match["lang"]


class AlignedVectors:
    """
    A word has the vector of its language, and where that has none the vector that the `fallback`
    has for it (the released code of Ahmad et al. 2019, with English). A file is read when a word of
    its language first comes.

    # Parameters

    paths : `Mapping[str, str]`
        By language, a file; see `StaticVectors.load`.
    fallback : `str`
        The language whose vectors also words of others may have, and those of an unknown language.
    max_words : `Optional[int]`
        Of each file; see `StaticVectors.load`.

    # Raises

    `ConfigurationError` if there is no file of the fallback, or it cannot be read.
    """

    def __init__(
        self, paths: Mapping[str, str], fallback: str, max_words: Optional[int] = None
    ) -> None:
        self.paths = dict(paths)
        self.fallback = fallback
        self._max_words = max_words
        self._read: dict[str, StaticVectors] = {}
        self._told: set = set()
        if fallback not in self.paths:
            raise ConfigurationError(
                f"There are vectors of {', '.join(sorted(self.paths))}, and none of {fallback!r}, "
                "the fallback. Add them, or name another one."
            )
        self.dim = self.vectors_of(fallback).dim

    @property
    def langs(self) -> list[str]:
        """The languages that have vectors."""
        return sorted(self.paths)

    def vectors_of(self, lang: str) -> StaticVectors:
        """
        Returns the vectors of a language that has some.

        # Raises

        `ConfigurationError` if the file cannot be read, or its vectors have another width.
        """
        if lang not in self._read:
            self._read[lang] = self._load(lang)
        return self._read[lang]

    def read_all(self) -> None:
        """Read every file now, before it is gone. Raises as `vectors_of` does."""
        for lang in self.langs:
            self.vectors_of(lang)

    def keep(self, folder: str) -> None:
        """Writes the vectors as `LANG.npz` into a folder. Raises as `vectors_of` does."""
        for lang in self.langs:
            self._load(lang).save(os.path.join(folder, f"{lang}.npz"))

    def _load(self, lang: str) -> StaticVectors:
        path = self.paths[lang]
        try:
            vectors = StaticVectors.load(path, self._max_words)
        except OSError as error:
            raise ConfigurationError(
                f"embedder.vectors: {path} cannot be read ({error.strerror}). Name a file of word "
                "vectors, text or .npz, or a folder of them."
            ) from None
        if self._read and vectors.dim != self.dim:
            raise ConfigurationError(
                f"{path} has {vectors.dim} numbers a word, {self.paths[self.fallback]} has "
                f"{self.dim}: they are not of one space. Align them first."
            )
        return vectors

    def of(self, langs: Sequence[str], forms: Sequence[str]) -> numpy.ndarray:
        """
        `(forms, dim)`, 0 for a form that has none, of forms and the language of each.

        # Raises

        `ConfigurationError` as `vectors_of` does.
        """
        vectors = numpy.zeros((len(forms), self.dim), dtype=numpy.float32)
        missing = numpy.ones(len(forms), dtype=bool)
        for lang in dict.fromkeys(langs):
            if lang in self.paths:
                rows = numpy.array(
                    [row for row, form_lang in enumerate(langs) if form_lang == lang]
                )
                missing[rows] = self._look_up(lang, forms, rows, vectors)
            elif lang not in self._told:
                self._told.add(lang)
                what = f"There are no vectors of the language {lang!r}"
                remedy = "Give a file of them as model.embedder.more_vectors."
                if not lang:
                    what = "There are sentences that do not say their language"
                    remedy = "Say it, such as --lang fi."
                logger.warning(
                    "%s: words have the vectors of %r that are spelled alike. %s",
                    *(what, self.fallback, remedy),
                )
        self._look_up(self.fallback, forms, missing.nonzero()[0], vectors)
        return vectors

    def _look_up(
        self, lang: str, forms: Sequence[str], rows: numpy.ndarray, target: numpy.ndarray
    ) -> numpy.ndarray:
        """Fill the `rows` of `target` with the vectors of a language; True where it has none."""
        vectors = self.vectors_of(lang)
        places = numpy.array([vectors.place(forms[row]) for row in rows], dtype=numpy.int64)
        has = places >= 0
        target[rows[has]] = vectors.rows(places[has])
        return ~has


def find_vectors(path: str, lang: Optional[str] = None) -> dict[str, str]:
    """
    Returns the vector files of a path by language: the files in a folder, by their names, or the
    one file.

    # Parameters

    path : `str`
    lang : `Optional[str]`
        Of a single file whose name does not say it.

    # Raises

    `ConfigurationError` if there are none, two of one language, or the language is not said.
    """
    if not os.path.isdir(path):
        vectors_lang = file_language(path) or lang
        if vectors_lang is None and not os.path.exists(path):
            raise ConfigurationError(f"There is no {path}, neither a folder nor a file of vectors.")
        if vectors_lang is None:
            raise ConfigurationError(
                f"{path}: of which language are these vectors? Call it LANG.vec or LANG.npz, such "
                "as fi.vec."
            )
        return {vectors_lang: path}
    paths: dict[str, str] = {}
    for name in sorted(os.listdir(path)):
        file_lang = file_language(name)
        if file_lang in paths:
            raise ConfigurationError(f"{path} has {os.path.basename(paths[file_lang])} and {name}.")
        if file_lang is not None:
            paths[file_lang] = os.path.join(path, name)
    if not paths:
        raise ConfigurationError(
            f"{path} has no vectors. Put files such as fi.vec, fi.npz or wiki.fi.align.vec there."
        )
    return paths
