"""Files read and saved shard by shard."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.files import compress, compression, size_and_time, write_whole


class Shard(NamedTuple):
    """Sentences `first` (from 1) and following of the file `source`, for the file `target`."""

    source: str
    target: str
    first: int
    sentences: list[Sentence]

    def __str__(self) -> str:
        return f"{self.source}, sentences {self.first} to {self.first + len(self.sentences) - 1}"


class Unfinished(NamedTuple):
    """
    The unfinished part of one input.

    # Parameters

    source : `str`
        The input.
    stamp : `List[int]`
        The input's `size_and_time`, from its record.
    folder : `str`
        The folder of its shards.
    size : `int`
        Sentences in a shard.
    missing : `List[int]`
        The shards that are missing; the first of a file is 0.
    """

    source: str
    stamp: list[int]
    folder: str
    size: int
    missing: list[int]

    def shards(self) -> Iterator[Shard]:
        """
        The missing shards; of a file without sentences, one without sentences. Raises
        `ConfigurationError` if the file is not what it was; a shard given out before is right.
        """
        wanted = set(self.missing)
        self._check()
        for number, sentences in enumerate(groups(self.source, self.size)):
            if number in wanted:
                # After reading: a shard of another content must never be saved, not even by a run
                # that is killed next.
                self._check()
                target = os.path.join(self.folder, str(number))
                yield Shard(self.source, target, number * self.size + 1, sentences)

    def _check(self) -> None:
        if size_and_time(self.source) != self.stamp:
            raise changed(self.source)


def changed(source: str) -> ConfigurationError:
    """The error for an input that is not what it was when it was examined."""
    return ConfigurationError(
        f"{source} has changed since its parse was begun. Restore it, or name another folder."
    )


def groups(source: str, size: int) -> Iterator[list[Sentence]]:
    """The sentences of a file, `size` at a time; one empty group if there are none."""
    group: list[Sentence] = []
    empty = True
    for sentence in read_sentences(source):
        group.append(sentence)
        if len(group) == size:
            yield group
            group, empty = [], False
    if group or empty:
        yield group


def save(sentences: Sequence[Sentence], target: str) -> None:
    """
    Write a shard, compressed as the name of its folder's parent says. Compressed shards can be
    joined, and the same ones are the same bytes. Its folder must be there: once its file is whole,
    or another run has taken the folder, a worker that was given up for dead can do no harm.
    """
    data = "".join(sentence.text for sentence in sentences).encode("utf-8")
    how = compression(os.path.dirname(os.path.dirname(target)))
    write_whole(target, [compress(data, how)])
