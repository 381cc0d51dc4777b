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
        Where it is; absolute.
    stamp : `List[int]`
        Its `size_and_time`: while these stay, so do the sentences.
    hash : `str`
        The `fingerprint` of its bytes.
    sentences : `int`
        How many it has.
    """

    path: str
    stamp: list[int]
    hash: str
    sentences: int


def examine(path: str) -> Record:
    """
    Read and check a whole file. `ConlluError` for its first invalid sentence, `ConfigurationError`
    if it is no regular file or changes meanwhile.
    """
    if not os.path.isfile(path):
        raise ConfigurationError(f"{path} is not a regular file. Save its content as one.")
    before = size_and_time(path)
    count = sum(1 for _ in read_sentences(path))
    record = Record(os.path.abspath(path), before, fingerprint([path]), count)
    if size_and_time(path) != before:
        raise ConfigurationError(f"{path} changed while it was read. Try again when it is done.")
    return record
