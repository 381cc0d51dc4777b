"""Word vectors for several languages in one space, with a file for each."""

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
    """
    Returns the language in a file's name, `fi` for `wiki.fi.align.vec`; `None` if there is none.
    """
    match = _NAME.fullmatch(os.path.basename(path))
    return None if match is None else match["lang"]


class AlignedVectors:
    """
    The vectors of all languages. A word without a vector in its language has its vector in the
    `fallback` (the released code of Ahmad et al. 2019, with English). A file is read at the first
    word of its language.

    # Parameters

    paths : `Mapping[str, str]`
        The file of each language; see `StaticVectors.load`.
    fallback : `str`
        The language whose vectors words of other and unknown languages may have.
    max_words : `Optional[int]`
        Maximum number of words per file; see `StaticVectors.load`.

    # Raises

    `ConfigurationError` if the fallback has no file, or it cannot be read.
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
                f"There are vectors for {', '.join(sorted(self.paths))}, but not for {fallback!r}, "
                "the fallback. Add them, or name another one."
            )
        self.dim = self.vectors_of(fallback).dim

    @property
    def langs(self) -> list[str]:
        """The languages that have vectors."""
        return sorted(self.paths)

    def vectors_of(self, lang: str) -> StaticVectors:
        """
        Returns the vectors of a language, which must have some.

        # Raises

        `ConfigurationError` if the file cannot be read, or its vectors have another width.
        """
        if lang not in self._read:
            self._read[lang] = self._load(lang)
        return self._read[lang]

    def read_all(self) -> None:
        """Reads every file now, before it disappears. Raises the errors of `vectors_of`."""
        for lang in self.langs:
            self.vectors_of(lang)

    def keep(self, folder: str) -> None:
        """Writes the vectors as `LANG.npz` into a folder. Raises the errors of `vectors_of`."""
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
                f"{path} has {vectors.dim} numbers per word, but {self.paths[self.fallback]} has "
                f"{self.dim}, so they are not in one space. Align them first."
            )
        return vectors

    def of(self, langs: Sequence[str], forms: Sequence[str]) -> numpy.ndarray:
        """
        Returns the vectors of forms, given the language of each, `(forms, dim)`; 0 for a form
        without a vector.

        # Raises

        The errors of `vectors_of`.
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
                what = f"There are no vectors for the language {lang!r}"
                remedy = "Add a file of them as model.embedder.more_vectors."
                if not lang:
                    what = "Some sentences have no language"
                    remedy = "Specify it, such as --lang fi."
                logger.warning(
                    "%s: words receive the vectors of %r with the same spelling. %s",
                    *(what, self.fallback, remedy),
                )
        self._look_up(self.fallback, forms, missing.nonzero()[0], vectors)
        return vectors

    def _look_up(
        self, lang: str, forms: Sequence[str], rows: numpy.ndarray, target: numpy.ndarray
    ) -> numpy.ndarray:
        """
        Fills the `rows` of `target` with the vectors of a language; returns True where it has none.
        """
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
        The language of a single file whose name does not contain it.

    # Raises

    `ConfigurationError` if there are no files, two of one language, or no language.
    """
    if not os.path.isdir(path):
        vectors_lang = file_language(path) or lang
        if vectors_lang is None and not os.path.exists(path):
            raise ConfigurationError(f"{path} is neither a folder nor a file of vectors.")
        if vectors_lang is None:
            raise ConfigurationError(
                f"{path}: the language of these vectors is unknown. Name the file LANG.vec or "
                "LANG.npz, such as fi.vec."
            )
        return {vectors_lang: path}
    paths: dict[str, str] = {}
    for name in sorted(os.listdir(path)):
        file_lang = file_language(name)
        if file_lang in paths:
            raise ConfigurationError(
                f"{path} has {os.path.basename(paths[file_lang])} and {name} for one language. "
                "Keep one of them."
            )
        if file_lang is not None:
            paths[file_lang] = os.path.join(path, name)
    if not paths:
        raise ConfigurationError(
            f"{path} has no vectors. Put files such as fi.vec, fi.npz or wiki.fi.align.vec there."
        )
    return paths
