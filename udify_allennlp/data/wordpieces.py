"""Conversion of words to wordpieces, with any fast Hugging Face tokenizer."""

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy
import tokenizers
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data import encoder_files
from udify_allennlp.data.tokenizer_file import FileTokenizer, tokenizer_of

_TOKENIZER_FILE = "tokenizer.json"
# Words remembered, about 200 bytes each: a stream of text never ends, its memory must.
_MAX_WORDS = 1_000_000
MAX_PIECES = 512
"""Maximum number of pieces per word that an encoder reads, the same as in a window of BERT."""


class Framing(NamedTuple):
    """The format of an encoder's input around the wordpieces, and its maximum length."""

    start_id: int
    end_id: int
    pad_id: int
    max_pieces: int
    """Number of pieces of a window, including special ones; at least 4."""

    @property
    def size(self) -> int:
        """Number of text pieces in a window."""
        return self.max_pieces - 2

    @property
    def step(self) -> int:
        """The number of pieces that a window keeps if it is not the last one of its sentence."""
        return self.max_pieces // 2 - 1

    def windows(self, pieces: numpy.ndarray) -> numpy.ndarray:
        """Returns the number of windows of sentences with these numbers of pieces."""
        return 1 + numpy.maximum(-(-(pieces - self.size) // self.step), 0)


@functools.lru_cache(maxsize=4)
def load_tokenizer(path: str) -> Any:
    """
    Returns the fast tokenizer of a folder or a hub name; loaded once for the reader and the
    encoder.

    # Raises

    `ConfigurationError` if it does not exist, or is a slow one.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(path, use_fast=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"No tokenizer could be loaded from model_name {path!r}: {str(error).splitlines()[0]} "
            "Use a hub name, or a folder with tokenizer.json and config.json, as saved by "
            "save_pretrained."
        ) from None
    if not tokenizer.is_fast:
        raise ConfigurationError(
            f"The tokenizer of {path!r} is a slow one. UDify needs a fast tokenizer: save one with "
            "AutoTokenizer.from_pretrained(..., use_fast=True).save_pretrained(folder)."
        )
    return tokenizer


def save_tokenizer(tokenizer: Any, folder: str) -> None:
    """Runs `save_pretrained`, and then `name_added_pieces`."""
    tokenizer.save_pretrained(folder)
    name_added_pieces(Path(folder))


def name_added_pieces(folder: Path) -> None:
    """
    Records in `tokenizer_config.json` the pieces that `tokenizer.json` adds to its vocabulary.
    Otherwise, transformers 5 reads the whole file in Python at every start, which takes 0.4 s for 8
    MB.
    """
    settings = json.loads((folder / _TOKENIZER_FILE).read_text(encoding="utf-8"))
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    added = {str(piece.pop("id")): piece for piece in settings["added_tokens"]}
    text = json.dumps({**config, "added_tokens_decoder": added}, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")


class WordpieceTokenizer:
    """
    A tokenizer that splits each word separately into wordpiece ids and caches the words it has
    seen.

    A word without pieces (such as a zero-width character) gets the unknown piece, so no word ever
    vanishes. A word of more than `MAX_PIECES`, such as a letter with thousands of combining marks,
    is truncated, which bounds time and memory. The text of a special piece inside a treebank
    (`[MASK]`, `</s>`) is split like any other text.

    # Parameters

    model_name : `str`
        A folder or a hub name.
    serialization_dir : `Optional[str]`
        The run folder: a copy of the tokenizer is kept there, and preferred when present.

    # Raises

    `ConfigurationError` if the tokenizer is missing, slow, or has no unknown, padding or
    sentence-delimiting piece.
    """

    def __init__(self, model_name: str, serialization_dir: Optional[str] = None) -> None:
        path = encoder_files.source(model_name, serialization_dir, _TOKENIZER_FILE)
        tokenizer: Any = tokenizer_of(path) or load_tokenizer(path)
        self._pretrained = tokenizer

        def save(folder: str) -> None:
            save_tokenizer(self.pretrained, folder)

        encoder_files.keep(save, serialization_dir, _TOKENIZER_FILE)
        self.start_id: int = _special(tokenizer, path, "cls_token_id", "bos_token_id")
        self.end_id: int = _special(tokenizer, path, "sep_token_id", "eos_token_id")
        self.pad_id: int = _special(tokenizer, path, "pad_token_id", "eos_token_id")
        self.unknown_id: int = _special(tokenizer, path, "unk_token_id", "pad_token_id")
        self.mask_id: Optional[int] = tokenizer.mask_token_id
        self.max_pieces: int = min(512, tokenizer.model_max_length)
        self._backend = _splitter(tokenizer.backend_tokenizer)
        # A byte-level BPE marks the start of a word by the space before it.
        before = str(self._backend.pre_tokenizer)
        needs_space = "ByteLevel" in before and "add_prefix_space=False" in before
        self._prefix = " " if needs_space else ""
        self._pieces: dict[str, tuple[int, ...]] = {}

    @property
    def pretrained(self) -> Any:
        """The tokenizer of transformers."""
        if isinstance(self._pretrained, FileTokenizer):
            self._pretrained = self._pretrained.for_transformers()
        return self._pretrained

    def framing(self, max_pieces: int) -> Framing:
        """Returns the format of windows of `max_pieces` wordpieces."""
        return Framing(self.start_id, self.end_id, self.pad_id, max_pieces)

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

    @property
    def last_piece(self) -> int:
        """The highest number of a piece, if the numbers have no gaps."""
        # Not `get_vocab()`, which makes a dictionary: a tenth of a second for a large one.
        added = self._backend.get_added_tokens_decoder()
        return max(self._backend.get_vocab_size() - 1, *added, 0)

    @functools.cached_property
    def fingerprint(self) -> bytes:
        """
        A hash of everything that determines the splitting of words: equal hashes, equal wordpieces.
        """
        rules = (self._prefix, self.unknown_id, self._backend.to_str(), MAX_PIECES)
        parts = (tokenizers.__version__, *rules)
        return hashlib.blake2b(repr(parts).encode("utf-8")).digest()


def _splitter(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
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
    splitter.encode_special_tokens = True
    return splitter


def _special(tokenizer: Any, path: str, *names: str) -> int:
    for name in names:
        value = getattr(tokenizer, name, None)
        if value is not None:
            return int(value)
    raise ConfigurationError(
        f"The tokenizer of {path!r} has no {names[0].replace('_id', '')}, which UDify needs. "
        "Name it in the folder's tokenizer_config.json."
    )
