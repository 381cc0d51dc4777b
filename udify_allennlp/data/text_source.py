"""Sentences of raw texts that are larger than memory: streamed, shuffled, mixed, and resumable."""

import itertools
import os
import random
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional, Union

from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.encoder_files import check_may_leave
from udify_allennlp.data.held_out import HeldOut
from udify_allennlp.data.text_lines import TextLines, is_treebank
from udify_allennlp.text.conllu import distinct_names, expand_paths
from udify_allennlp.text.input_kinds import is_text


class Corpus(FromParams):
    """
    Raw texts of one kind.

    # Parameters

    paths : `Union[str, List[str]]`
        Files with one sentence per line and words separated by spaces, in UTF-8: `.txt`, `.txt.gz`,
        `.txt.xz`; or treebanks, whose sentences are read as texts: `.conllu`. A glob, or a list of
        these.
    weight : `float`
        Its share of the sentences, in relation to the weights of other corpora; above 0.
    licence : `str`
        Licence of the texts, for the model card.

    # Raises

    `ConfigurationError` if a file is not raw text, or the weight is not above 0.
    """

    def __init__(
        self, paths: Union[str, list[str]], weight: float = 1.0, licence: str = ""
    ) -> None:
        for path in [paths] if isinstance(paths, str) else paths:
            check_may_leave(path, "separate texts")
        self.paths = expand_paths(paths)
        self.weight = weight
        self.licence = licence
        for path in self.paths:
            if not is_treebank(path) and not is_text(path):
                raise ConfigurationError(
                    f"{path} is neither raw text nor a treebank by its name. Name files that end "
                    "in .txt or .conllu, or in one of these and .gz or .xz."
                )
        if weight <= 0:
            raise ConfigurationError(f"A corpus has the weight {weight}. It must be above 0.")


class Amount(NamedTuple):
    """The size of a corpus."""

    sentences: int
    left_out: int
    """Number of additional sentences, which are held out."""


def amounts(corpora: Mapping[str, Corpus], held_out: Optional[HeldOut]) -> dict[str, Amount]:
    """
    Returns the size of each corpus, by name; all files are read once.

    # Raises

    `ConfigurationError` if a corpus has no sentences, or all are held out; and the errors of
    `TextSource.draw`.
    """
    sizes = {}
    for name, corpus in corpora.items():
        count = left_out = 0
        for path in corpus.paths:
            for text in TextLines([path], "").once():
                if held_out is not None and held_out.has_text(text):
                    left_out += 1
                else:
                    count += 1
        if not count:
            why = "all of its sentences are held out" if left_out else "no line has words"
            raise ConfigurationError(
                f"{', '.join(corpus.paths)}: {why}. Name other files, or omit the corpus."
            )
        sizes[name] = Amount(count, left_out)
    return sizes


def by_file(corpora: Mapping[str, Corpus]) -> dict[str, Corpus]:
    """Returns each file as a separate corpus, named after it."""
    files = [(path, corpus) for corpus in corpora.values() for path in corpus.paths]
    names = distinct_names([path for path, _ in files], _stem)
    return {
        name: Corpus(path, corpus.weight, corpus.licence)
        for name, (path, corpus) in zip(names, files)
    }


def _stem(path: str) -> str:
    return os.path.basename(path).partition(".conllu")[0].partition(".txt")[0]


class TextSource:
    """
    An endless stream of sentences. Each is drawn from a corpus by weight; a corpus reads its files
    line by line, in a new order in each pass. A sentence then waits in a buffer for a random time:
    the next one out is drawn from `buffer_size` sentences, and another is read in its place.

    `state` and `restore` interrupt and resume the stream anywhere: the same sentences follow. The
    state has the sentences of the buffer, and the position in the file of each corpus; a compressed
    file is read again up to there.

    # Parameters

    corpora : `Mapping[str, Corpus]`
        Corpora by name; at least one.
    buffer_size : `int`
        Number of sentences in memory; 1 does not shuffle them.
    seed : `int`
        Seed for the choice of corpora, the order of files and the shuffling.
    held_out : `Optional[HeldOut]`
        Sentences that are skipped.

    # Raises

    `ConfigurationError` without corpora, or if `buffer_size` is below 1.
    """

    def __init__(
        self,
        corpora: Mapping[str, Corpus],
        buffer_size: int,
        seed: int,
        held_out: Optional[HeldOut] = None,
    ) -> None:
        if not corpora or buffer_size < 1:
            raise ConfigurationError(
                f"data_loader has {len(corpora)} corpora and buffer_size {buffer_size}. Both must "
                "be at least 1."
            )
        self._names = sorted(corpora)
        self._totals = list(itertools.accumulate(corpora[name].weight for name in self._names))
        self._streams = {
            name: TextLines(corpora[name].paths, f"{seed} {name}") for name in self._names
        }
        self._buffer_size = buffer_size
        self._held_out = held_out
        self._random = random.Random(seed)
        self._buffer: list[tuple[str, str]] = []
        self.counts: dict[str, int] = dict.fromkeys(self._names, 0)
        """The number of sentences that came out of each corpus."""

    def draw(self) -> tuple[str, str]:
        """
        Returns the name of a corpus and its next sentence: a line without white space at its ends,
        never empty.

        # Raises

        `ConlluError` with file and line for a line that is not UTF-8 and for a damaged file.
        `ConfigurationError` if a corpus has no sentences. `OSError` if a file cannot be read.
        """
        while len(self._buffer) < self._buffer_size:
            self._buffer.append(self._read())
        place = self._random.randrange(self._buffer_size)
        name, sentence = self._buffer[place]
        self._buffer[place] = self._read()
        self.counts[name] += 1
        return name, sentence

    def state(self) -> dict[str, Any]:
        """Returns the current position, in types that `torch.load` reads without running code."""
        return {
            "random": self._random.getstate(),
            "buffer": list(self._buffer),
            "streams": {name: stream.state() for name, stream in self._streams.items()},
            "counts": dict(self.counts),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """
        Restores the position that `state` returned, for a source of the same corpora.

        # Raises

        `ConfigurationError` if the corpora differ.
        """
        if {name: len(s.paths) for name, s in self._streams.items()} != {
            name: stream["files"] for name, stream in state["streams"].items()
        }:
            raise ConfigurationError(
                "The run was started with other corpora, or with other files of them. Use the "
                "same ones, or start again: --force instead of --recover."
            )
        version, internal, gauss_next = state["random"]
        self._random.setstate((version, tuple(internal), gauss_next))
        self._buffer = [(name, sentence) for name, sentence in state["buffer"]]
        for name, stream in self._streams.items():
            stream.restore(state["streams"][name])
        self.counts = dict(state["counts"])

    def _read(self) -> tuple[str, str]:
        (name,) = self._random.choices(self._names, cum_weights=self._totals)
        while True:
            text = self._streams[name].next()
            if self._held_out is None or not self._held_out.has_text(text):
                return name, text
