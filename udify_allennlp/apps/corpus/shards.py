"""Files that are read and saved shard by shard."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.files import compress, compression, size_and_time, write_whole


class Shard(NamedTuple):
    """The sentences from `first` (numbered from 1) of the file `source`, for the file `target`."""

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
        Number of sentences per shard.
    missing : `List[int]`
        The numbers of the missing shards, from 0.
    """

    source: str
    stamp: list[int]
    folder: str
    size: int
    missing: list[int]

    def shards(self) -> Iterator[Shard]:
        """
        Yields the missing shards; for a file without sentences, an empty one. Raises
        `ConfigurationError` if the file has changed; shards yielded before that are valid.
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
    """Returns the error for an input that has changed since it was examined."""
    return ConfigurationError(
        f"{source} has changed since its parse was started. Restore it, or name another folder."
    )


def groups(source: str, size: int) -> Iterator[list[Sentence]]:
    """Yields the sentences of a file, `size` at a time; one empty group if there are none."""
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
    Writes a shard, compressed according to the name of its folder's parent. Compressed shards can
    be joined, and equal shards give equal bytes. The folder must exist: once the file is complete,
    or another run uses the folder, a worker that was presumed dead can do no harm.
    """
    data = "".join(sentence.text for sentence in sentences).encode("utf-8")
    how = compression(os.path.dirname(os.path.dirname(target)))
    write_whole(target, [compress(data, how)])
