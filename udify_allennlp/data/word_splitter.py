"""Words to wordpieces, by a tokenizer of the package tokenizers."""

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence

import tokenizers

# Words remembered, about 200 bytes each: a stream of text never ends, its memory must.
_MAX_WORDS = 1_000_000
MAX_PIECES = 512
"""Maximum number of pieces per word that an encoder reads, the same as in a window of BERT."""


class WordSplitter:
    """
    A splitter of each word separately into wordpiece ids, which caches the words it has seen.

    A word without pieces (such as a zero-width character) gets the unknown piece, so no word ever
    vanishes. A word of more than `MAX_PIECES`, such as a letter with thousands of combining marks,
    is truncated, which bounds time and memory. The text of a special piece inside a treebank
    (`[MASK]`, `</s>`) is split like any other text.

    # Parameters

    backend : `tokenizers.Tokenizer`
        See `splitter_of`.
    unknown_id : `int`
        The unknown piece.
    """

    def __init__(self, backend: tokenizers.Tokenizer, unknown_id: int) -> None:
        backend.encode_special_tokens = True  # the one setting that its file does not keep
        self._backend = backend
        self.unknown_id = unknown_id
        # A byte-level BPE marks the start of a word by the space before it.
        before = str(backend.pre_tokenizer)
        needs_space = "ByteLevel" in before and "add_prefix_space=False" in before
        self._prefix = " " if needs_space else ""
        self._pieces: dict[str, tuple[int, ...]] = {}

    def learn(self, words: Iterable[str]) -> Mapping[str, tuple[int, ...]]:
        """
        Splits all `words` not yet seen in one call, which is much faster than one by one. The
        result has them all, regardless of other threads that learn or forget words meanwhile.
        """
        asked = set(words)
        pieces_of = self._pieces
        new = [word for word in asked if word not in pieces_of]
        if not new:
            return pieces_of
        if len(pieces_of) + len(new) > _MAX_WORDS:
            pieces_of = self._pieces = {}
            new = list(asked)
        texts = [self._prefix + word for word in new]
        unknown = (self.unknown_id,)
        for word, encoding in zip(new, self._backend.encode_batch(texts, add_special_tokens=False)):
            pieces_of[word] = tuple(encoding.ids[:MAX_PIECES]) or unknown
        return pieces_of

    def __call__(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Returns the wordpiece ids of each word, at least one per word, without special pieces."""
        pieces_of = self.learn(words)
        return [pieces_of[word] for word in words]

    def forget(self) -> None:
        """Frees the memory of the words seen."""
        self._pieces = {}

    @functools.cached_property
    def fingerprint(self) -> bytes:
        """
        A hash of everything that determines the splitting of words: equal hashes, equal wordpieces.
        """
        rules = (self._prefix, self.unknown_id, self._backend.to_str(), MAX_PIECES)
        parts = (tokenizers.__version__, *rules)
        return hashlib.blake2b(repr(parts).encode("utf-8")).digest()


def splitter_of(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """
    Returns a separate backend that only splits text, without truncation, padding or special pieces.
    The given one is shared, and saved unchanged; so is the large model in it.
    """
    splitter = tokenizers.Tokenizer(backend.model)
    if backend.normalizer is not None:
        splitter.normalizer = backend.normalizer
    if backend.pre_tokenizer is not None:
        splitter.pre_tokenizer = backend.pre_tokenizer
    # In the order of their ids, so that each gets its own again.
    for _, token in sorted(backend.get_added_tokens_decoder().items()):
        (splitter.add_special_tokens if token.special else splitter.add_tokens)([token])
    return splitter
