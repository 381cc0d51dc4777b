"""Conversion of words to wordpieces, with any fast Hugging Face tokenizer."""

import functools
import json
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.data import encoder_files
from udify_allennlp.data.framing import Framing
from udify_allennlp.data.tokenizer_file import FileTokenizer, tokenizer_of
from udify_allennlp.data.word_splitter import WordSplitter, splitter_of

_TOKENIZER_FILE = "tokenizer.json"


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


class WordpieceTokenizer(WordSplitter):
    """
    The tokenizer of an encoder, which splits words like a `WordSplitter`.

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
        self.mask_id: Optional[int] = tokenizer.mask_token_id
        self.max_pieces: int = min(512, tokenizer.model_max_length)
        unknown_id = _special(tokenizer, path, "unk_token_id", "pad_token_id")
        super().__init__(splitter_of(tokenizer.backend_tokenizer), unknown_id)

    @property
    def pretrained(self) -> Any:
        """The tokenizer of transformers."""
        if isinstance(self._pretrained, FileTokenizer):
            self._pretrained = self._pretrained.for_transformers()
        return self._pretrained

    def framing(self, max_pieces: int) -> Framing:
        """Returns the format of windows of `max_pieces` wordpieces."""
        return Framing(self.start_id, self.end_id, self.pad_id, max_pieces)

    @property
    def last_piece(self) -> int:
        """The highest number of a piece, if the numbers have no gaps."""
        # Not `get_vocab()`, which makes a dictionary: a tenth of a second for a large one.
        added = self._backend.get_added_tokens_decoder()
        return max(self._backend.get_vocab_size() - 1, *added, 0)

    def save_splitter(self, path: Path) -> None:
        """Saves what a `WordSplitter` needs, for programs without transformers."""
        self._backend.save(str(path))


def _special(tokenizer: Any, path: str, *names: str) -> int:
    for name in names:
        value = getattr(tokenizer, name, None)
        if value is not None:
            return int(value)
    raise ConfigurationError(
        f"The tokenizer of {path!r} has no {names[0].replace('_id', '')}, which UDify needs. "
        "Name it in the folder's tokenizer_config.json."
    )
