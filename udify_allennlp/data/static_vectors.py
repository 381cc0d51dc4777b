"""Vectors of whole words from a file: word2vec's text format, or an `.npz`."""

import re
import zipfile
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Tuple

import numpy
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.files import DAMAGED, AnyPath, open_compressed, whole_file


class StaticVectors:
    """
    # Parameters

    words : `Sequence[str]`
        Each once; of one that comes again the first vector is kept.
    vectors : `numpy.ndarray`
        `(words, dim)`, float32.
    """

    def __init__(self, words: Sequence[str], vectors: numpy.ndarray) -> None:
        self.words = list(words)
        self.vectors = numpy.ascontiguousarray(vectors, dtype=numpy.float32)
        self._places: Dict[str, int] = {}
        for place, word in enumerate(self.words):
            self._places.setdefault(word, place)

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return int(self.vectors.shape[1])

    @classmethod
    def load(cls, path: AnyPath) -> "StaticVectors":
        """
        # Parameters

        path : `AnyPath`
            With a name in `.npz`, the arrays `words` (strings, or one string with a word a line)
            and `vectors` `(words, dim)`. Else text, plain, `.gz` or `.xz`: a word and its numbers a
            line, separated by spaces; a first line of two numbers says how many words and numbers.

        # Raises

        `ConfigurationError` with file and line if it is not such a file. `OSError`.
        """
        if str(path).endswith(".npz"):
            words, vectors = _read_npz(path)
        else:
            words, vectors = _read_text(path)
        if not len(words) or vectors.shape[1] == 0:
            raise ConfigurationError(f"{path} has no vectors.")
        if not numpy.isfinite(vectors).all():
            bad = words[int((~numpy.isfinite(vectors)).any(1).argmax())]
            raise ConfigurationError(f"{path}: the vector of {bad!r} is not finite. Correct it.")
        return cls(words, vectors)

    def save(self, path: AnyPath) -> None:
        """Write an `.npz`, whole or not at all."""
        with whole_file(path) as file:
            numpy.savez(file, words=numpy.array("\n".join(self.words)), vectors=self.vectors)

    def __len__(self) -> int:
        return len(self.words)

    def place(self, form: str) -> int:
        """
        Which vector a form has: its own, that of its lower case, or of that with 0 for each digit;
        -1 if there is none.
        """
        for spelling in (form, form.lower(), re.sub(r"\d", "0", form.lower())):
            if spelling in self._places:
                return self._places[spelling]
        return -1

    def of(self, forms: Sequence[str]) -> numpy.ndarray:
        """`(forms, dim)`; 0 for a form that has none."""
        places = numpy.array([self.place(form) for form in forms], dtype=numpy.int64)
        return numpy.where(places[:, None] < 0, numpy.float32(0), self.vectors[places])


def _read_npz(path: AnyPath) -> Tuple[List[str], numpy.ndarray]:
    try:
        with numpy.load(path, allow_pickle=False) as file:
            found, vectors = file["words"], file["vectors"]
    except FileNotFoundError:
        raise
    except (KeyError, ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise ConfigurationError(
            f"{path} is not an .npz file with the arrays words and vectors ({error})."
        ) from error
    words = str(found).split("\n") if found.ndim == 0 else [str(word) for word in found]
    numbers = vectors.dtype.kind in "fiu" and vectors.ndim == 2
    if not numbers or len(vectors) != len(words):
        raise ConfigurationError(
            f"{path} has {len(words)} words and vectors of shape {vectors.shape}, {vectors.dtype}: "
            f"a table of numbers is wanted, {len(words)} rows."
        )
    return words, vectors


def _read_text(path: AnyPath) -> Tuple[List[str], numpy.ndarray]:
    words: List[str] = []
    rows: List[numpy.ndarray] = []
    for number, line in _lines(path):
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


def _lines(path: AnyPath) -> Iterator[Tuple[int, str]]:
    number = 0
    with open_compressed(Path(path)) as file:
        try:
            for number, raw in enumerate(file, start=1):
                yield number, raw.decode("utf-8")
        except (UnicodeDecodeError, *DAMAGED) as error:
            raise ConfigurationError(f"{path}:{number + 1}: cannot be read ({error}).") from error
