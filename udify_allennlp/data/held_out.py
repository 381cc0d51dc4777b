"""Sentences that are excluded from training, since models are validated and tested on them."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Union

from allennlp.common import FromParams

from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence


class HeldOut(FromParams):
    """
    The sentences of development and test files, which loaders exclude from treebanks and raw texts.
    Sentences are the same if their characters are, apart from white space and Unicode composition
    (NFC); a sentence with multiword tokens is recognized by its text and by its words.

    # Parameters

    paths : `Union[str, List[str]]`
        CoNLL-U files; a glob, or a list of these.

    # Raises

    `FileNotFoundError` for a path without a file; `ConlluError` at the first invalid sentence.
    """

    def __init__(self, paths: Union[str, list[str]]) -> None:
        # Hashes of 64 bits: a sentence in 10^13 is left out for nothing where a million are held
        # out.
        self._known: set[int] = set()
        self.count = 0
        """The number of sentences in the files."""
        for path in expand_paths(paths):
            for sentence in read_sentences(path):
                self._known.update(_keys(sentence))
                self.count += 1

    def has(self, sentence: Sentence) -> bool:
        """Returns whether a sentence of a treebank is held out."""
        return not self._known.isdisjoint(_keys(sentence))

    def has_text(self, text: str) -> bool:
        """Returns whether a sentence of raw text is held out."""
        return _key([text]) in self._known


def _keys(sentence: Sentence) -> Iterator[int]:
    yield _key(sentence.forms)
    yield _key([rebuild([sentence])])


def _key(parts: Sequence[str]) -> int:
    characters = "".join("".join(parts).split())
    return hash(unicodedata.normalize("NFC", characters))
