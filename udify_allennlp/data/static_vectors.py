"""Word vectors of one language: word2vec's and fastText's text format, or an `.npz`."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.files import DAMAGED, AnyPath, open_compressed, whole_file

CODEBOOK = "codebook.npz"
"""The file next to `.npz` files with codes instead of vectors, which holds the centroids."""


# `RuntimeError`: encrypted, or compressed in a way that zipfile does not know.
_NO_ARRAYS = (
    *(TypeError, ValueError, EOFError, OSError, RuntimeError),
    *(zlib.error, zipfile.BadZipFile),
)


class StaticVectors:
    """
    # Parameters

    words : `Sequence[str]`
        The words; of duplicates, the first vector is kept.
    vectors : `numpy.ndarray`
        `(words, dim)`, float32; or, with `centroids`, `(words, parts)`: for each part of a vector
        the number of its centroid.
    centroids : `Optional[numpy.ndarray]`
        `(parts, centroids, width)`: a codebook (product quantization, Jegou et al. 2011) for
        vectors of unit length.
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: numpy.ndarray,
        centroids: Optional[numpy.ndarray] = None,
    ) -> None:
        self.words = list(words)
        self._codebook = None if centroids is None else centroids.astype(numpy.float32)
        dtype = numpy.float32 if centroids is None else vectors.dtype
        self._table = numpy.ascontiguousarray(vectors, dtype=dtype)
        self._places: dict[str, int] = {}
        for place, word in enumerate(self.words):
            self._places.setdefault(word, place)

    @property
    def dim(self) -> int:
        """Width of a vector."""
        book = self._codebook
        return int(self._table.shape[1] if book is None else book.shape[0] * book.shape[2])

    @property
    def vectors(self) -> numpy.ndarray:
        """All vectors, `(words, dim)` float32."""
        return self.rows(numpy.arange(len(self)))

    @classmethod
    def load(cls, path: AnyPath, max_words: Optional[int] = None) -> "StaticVectors":
        """
        # Parameters

        path : `AnyPath`
            An `.npz` file with the arrays `words` (strings, or one string with a word per line) and
            `vectors` `(words, dim)`; or, instead of `vectors`, `codes` `(words, parts)` with
            `centroids` `(parts, centroids, width)`, which may also be in a file `codebook.npz` in
            the same folder: see the constructor. Otherwise text, plain, `.gz` or `.xz`: a word and
            its numbers per line, separated by spaces; a first line of two numbers is the number of
            words and of numbers.
        max_words : `Optional[int]`
            Maximum number of words, from the beginning of the file: fastText's are sorted by
            frequency.

        # Raises

        `ConfigurationError` with file and line for any other file. `OSError`.
        """
        if str(path).endswith(".npz"):
            words, vectors, centroids = _read_npz(path)
        else:
            words, vectors = _read_text(path, max_words)
            centroids = None
        if not len(words) or vectors.shape[1] == 0:
            raise ConfigurationError(f"{path} has no vectors. Name another file.")
        table = cls(words[:max_words], vectors[:max_words], centroids)
        finite = numpy.isfinite(vectors if centroids is None else centroids)
        if not finite.all():
            what = "a centroid"
            if centroids is None:
                what = f"the vector of {words[int((~finite).any(1).argmax())]!r}"
            raise ConfigurationError(f"{path}: {what} is not finite. Correct it.")
        return table

    def save(self, path: AnyPath) -> None:
        """Writes an `.npz`, which appears only when it is complete."""
        arrays: dict[str, Any] = {"vectors": self._table}
        if self._codebook is not None:
            arrays = {"codes": self._table, "centroids": self._codebook}
        with whole_file(path) as file:
            numpy.savez(file, words=numpy.array("\n".join(self.words)), **arrays)

    def __len__(self) -> int:
        return len(self.words)

    def place(self, form: str) -> int:
        """
        Returns the index of a form's vector: its own, that of its lower case, or of either with 0
        for each digit; -1 if it has none (the released code of Ahmad et al. 2019).
        """
        for digits in (False, True):
            for spelling in (form, form.lower()):
                spelling = re.sub(r"\d", "0", spelling) if digits else spelling
                if spelling in self._places:
                    return self._places[spelling]
        return -1

    def rows(self, places: numpy.ndarray) -> numpy.ndarray:
        """Returns the vectors at some indices, `(places, dim)`."""
        cells = self._table[places]
        if self._codebook is None:
            return cells
        parts = numpy.arange(len(self._codebook))
        vectors = self._codebook[parts, cells].reshape(len(cells), self.dim)
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / numpy.where(lengths > 0, lengths, 1)

    def of(self, forms: Sequence[str]) -> numpy.ndarray:
        """Returns the vectors of forms, `(forms, dim)`; 0 for a form without a vector."""
        places = numpy.array([self.place(form) for form in forms], dtype=numpy.int64)
        vectors = numpy.zeros((len(places), self.dim), dtype=numpy.float32)
        vectors[places >= 0] = self.rows(places[places >= 0])
        return vectors


class _Npz(NamedTuple):
    words: list[str]
    vectors: numpy.ndarray
    centroids: Optional[numpy.ndarray]


def _read_npz(path: AnyPath) -> _Npz:
    arrays = _arrays(path)
    names = {"vectors", "codes"} & arrays.keys()
    if "words" not in arrays or not names:
        raise ConfigurationError(f"{path} has no arrays `words` and `vectors`, or `codes`.")
    forms, vectors, centroids = arrays["words"], arrays[max(names)], None
    words = str(forms).split("\n") if forms.ndim == 0 else [str(word) for word in forms]
    numbers = vectors.dtype.kind in "fiu" and vectors.ndim == 2
    if not numbers or len(vectors) != len(words):
        raise ConfigurationError(
            f"{path} has {len(words)} words and {max(names)} of shape {vectors.shape}, "
            f"{vectors.dtype}. It must be a table of numbers with {len(words)} rows."
        )
    if "vectors" not in arrays:
        centroids = _centroids(path, arrays)
        if centroids.shape[0] != vectors.shape[1] or vectors.dtype.kind != "u":
            raise ConfigurationError(
                f"{path}: its codes do not match its centroids. Correct the file."
            )
        if vectors.size and vectors.max() >= centroids.shape[1]:
            raise ConfigurationError(
                f"{path}: a code exceeds the {centroids.shape[1]} centroids. Correct the file."
            )
    return _Npz(words, vectors, centroids)


def _centroids(path: AnyPath, arrays: dict[str, numpy.ndarray]) -> numpy.ndarray:
    """Returns the centroids from the file itself or from the codebook in the same folder."""
    book = Path(path).parent / CODEBOOK
    if "centroids" not in arrays and book.is_file():
        arrays = _arrays(book)
    centroids = arrays.get("centroids")
    if centroids is None:
        raise ConfigurationError(
            f"{path} has codes but no centroids, and {book} has none either. Add them."
        )
    if centroids.dtype.kind != "f" or centroids.ndim != 3:
        raise ConfigurationError(f"{path}: its codes do not match its centroids. Correct the file.")
    return centroids


def _arrays(path: AnyPath) -> dict[str, numpy.ndarray]:
    try:
        with numpy.load(path, allow_pickle=False) as file:
            return dict(file)
    except FileNotFoundError:
        raise
    except _NO_ARRAYS as error:
        raise ConfigurationError(f"{path} is not an .npz file of arrays ({error}).") from error


def _read_text(path: AnyPath, max_words: Optional[int]) -> tuple[list[str], numpy.ndarray]:
    words: list[str] = []
    rows: list[numpy.ndarray] = []
    for number, line in _lines(path):
        if len(words) == max_words:
            break
        word, *cells = line.rstrip(" \n\r").split(" ")
        if number == 1 and len(cells) == 1 and word.isdigit() and cells[0].isdigit():
            continue  # how many words and numbers there are
        if rows and len(cells) > len(rows[0]):  # a word with spaces in it
            word = " ".join([word, *cells[: -len(rows[0])]])
            cells = cells[-len(rows[0]) :]
        try:
            row = numpy.array(cells, dtype=numpy.float32)
        except ValueError:
            row = numpy.array([])
        if not len(row) or (rows and len(row) != len(rows[0])):
            wanted = f"a word and {len(rows[0])} numbers" if rows else "a word and its numbers"
            raise ConfigurationError(f"{path}:{number}: {wanted} were expected. Correct the line.")
        words.append(word)
        rows.append(row)
    return words, numpy.stack(rows) if rows else numpy.zeros((0, 0), dtype=numpy.float32)


def _lines(path: AnyPath) -> Iterator[tuple[int, str]]:
    number = 0
    with open_compressed(Path(path)) as file:
        try:
            for number, raw in enumerate(file, start=1):
                yield number, raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{path}:{number}: is not UTF-8 ({error}).") from error
        except DAMAGED as error:
            raise ConfigurationError(f"{path}:{number + 1}: cannot be read ({error}).") from error
