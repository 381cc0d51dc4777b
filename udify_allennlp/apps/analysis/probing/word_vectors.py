"""Vectors of all words of a file, computed once and kept on disk."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.analysis.encoders import PlainEncoder


class WordVectors:
    """
    The vectors of words in some layers of an encoder, in a file that is mapped into memory, so that
    memory is not a limit for the number of words and layers.

    # Parameters

    encoder : `PlainEncoder`
    sentences : `Sequence[Sequence[str]]`
    layers : `Sequence[int]`
    path : `Path`
        Path of the new file, with `layers * words * dim` numbers.
    dtype : `str`
        `float16` or `float32`.

    # Raises

    `ConfigurationError` if the disk is too full, or float16 too small for a number.
    """

    def __init__(
        self,
        encoder: PlainEncoder,
        sentences: Sequence[Sequence[str]],
        layers: Sequence[int],
        path: Path,
        dtype: str = "float16",
    ) -> None:
        offsets = numpy.cumsum([0, *map(len, sentences)])
        shape = (len(layers), int(offsets[-1]), encoder.dim)
        self._layers = list(layers)
        self._values = _new_file(path, shape, dtype)
        with Tqdm.tqdm(total=len(sentences), unit=" sentences", desc=encoder.name) as bar:
            for row, vectors in encoder.vectors(sentences, layers):
                with numpy.errstate(over="ignore"):  # said below, once
                    values = vectors.numpy().astype(dtype)
                if not numpy.isfinite(values).all():
                    raise ConfigurationError(
                        f"{encoder.name} has vectors that {dtype} cannot hold. "
                        + ("Use --dtype float32." if dtype == "float16" else "It is damaged.")
                    )
                self._values[:, offsets[row] : offsets[row + 1]] = values
                bar.update(1)

    def layer(self, number: int) -> numpy.ndarray:
        """
        Returns the vectors of the words of all sentences, one after the other, `(words, dim)`.
        """
        return self._values[self._layers.index(number)]


def _new_file(path: Path, shape: Sequence[int], dtype: str) -> Any:
    size = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    free = shutil.disk_usage(path.parent).free
    # A mapped file is written when it is convenient to the system: a full disk would end us then.
    if size > free:
        raise ConfigurationError(
            f"{path.parent}: the vectors need {size / 1e9:.1f} GB, but only {free / 1e9:.1f} GB "
            "are free. Choose fewer --layers or --sentences, or another --out."
        )
    return numpy.memmap(path, dtype=dtype, mode="w+", shape=tuple(shape))
