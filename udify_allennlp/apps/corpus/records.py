"""Input files that can be recognized."""

import os
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.files import fingerprint, size_and_time


class Record(NamedTuple):
    """
    An examined input file.

    # Parameters

    path : `str`
        Its absolute path.
    stamp : `List[int]`
        Its `size_and_time`: while these are the same, so are the sentences.
    hash : `str`
        The `fingerprint` of its bytes.
    sentences : `int`
        Its number of sentences.
    """

    path: str
    stamp: list[int]
    hash: str
    sentences: int


def examine(path: str) -> Record:
    """
    Reads and checks a whole file. Raises `ConlluError` for its first invalid sentence,
    `ConfigurationError` if it is not a regular file or changes meanwhile.
    """
    if not os.path.isfile(path):
        raise ConfigurationError(f"{path} is not a regular file. Save its content as one.")
    before = size_and_time(path)
    count = sum(1 for _ in read_sentences(path))
    record = Record(os.path.abspath(path), before, fingerprint([path]), count)
    if size_and_time(path) != before:
        raise ConfigurationError(
            f"{path} changed while it was read. Try again when it is complete."
        )
    return record
