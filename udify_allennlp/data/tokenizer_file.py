"""
Hugging Face tokenizers, loaded from their files without transformers, whose import takes a second
and which does not change the splitting of words if the file is complete.
"""

import functools
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Optional, Union

import tokenizers

from udify_allennlp.data.unigram import UnigramSplitter

# Classes of transformers that take the file as it is; others may change steps in it.
_CLASSES = ("PreTrainedTokenizerFast", "TokenizersBackend")
_NAMES = ("bos", "cls", "eos", "mask", "pad", "sep", "unk")
_MORE = ("added_tokens.json", "special_tokens_map.json")
"""Files of earlier versions that name further pieces."""
_FLAGS = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
_NO_LIMIT = int(1e30)  # as transformers has it


class FileTokenizer:
    """
    A tokenizer with those attributes of transformers' tokenizers that splitting words needs.

    # Parameters

    settings : `dict[str, Any]`
        The contents of `tokenizer_config.json`.
    source : `Union[UnigramSplitter, tokenizers.Tokenizer]`
        The contents of `tokenizer.json`.
    """

    def __init__(
        self, settings: dict[str, Any], source: Union[UnigramSplitter, tokenizers.Tokenizer]
    ) -> None:
        self.source = source
        self.model_max_length: int = settings.get("model_max_length", _NO_LIMIT)
        self._settings = settings
        id_of = source.id_of if isinstance(source, UnigramSplitter) else source.token_to_id
        for name in _NAMES:
            piece = settings.get(f"{name}_token")
            setattr(self, f"{name}_token_id", None if piece is None else id_of(piece))

    @functools.cached_property
    def backend_tokenizer(self) -> tokenizers.Tokenizer:
        """The tokenizer of the package tokenizers."""
        source = self.source
        return source.tokenizer() if isinstance(source, UnigramSplitter) else source

    def added_pieces(self) -> dict[str, dict[str, Any]]:
        """The pieces in addition to those of the model, by number, as text, with their flags."""
        if isinstance(self.source, UnigramSplitter):
            return {
                str(piece["id"]): {flag: piece[flag] for flag in _FLAGS}
                for piece in self.source.added
            }
        return {
            str(number): {flag: getattr(piece, flag) for flag in _FLAGS}
            for number, piece in self.source.get_added_tokens_decoder().items()
        }

    def for_transformers(self) -> Any:
        """Returns the tokenizer of transformers for the same files."""
        from transformers import PreTrainedTokenizerFast

        unsaid = ("added_tokens_decoder", "backend", "is_local", "local_files_only")
        settings = {
            name: value
            for name, value in self._settings.items()
            if name not in (*unsaid, "tokenizer_class")
        }
        return PreTrainedTokenizerFast(tokenizer_object=self.backend_tokenizer, **settings)


@functools.lru_cache(maxsize=4)
def tokenizer_of(folder: str) -> Optional[FileTokenizer]:
    """
    Returns the tokenizer in a folder, read once for the reader and the encoder; `None` if there is
    none, or if transformers would change its behaviour.
    """
    if any((Path(folder) / name).exists() for name in _MORE):
        return None
    try:
        text = (Path(folder) / "tokenizer_config.json").read_text(encoding="utf-8")
        settings = json.loads(text)
        if not _is_plain(settings):
            return None
        tokenizer = FileTokenizer(settings, _source(Path(folder) / "tokenizer.json"))
        added = tokenizer.added_pieces()
    except Exception:  # who loads it with transformers is told what is wrong; tokenizers raises any
        return None
    names = [name for name in _NAMES if settings.get(f"{name}_token") is not None]
    there = all(getattr(tokenizer, f"{name}_token_id") is not None for name in names)
    return tokenizer if there and added == settings["added_tokens_decoder"] else None


def _source(path: Path) -> Union[UnigramSplitter, tokenizers.Tokenizer]:
    text = path.read_bytes()
    if b'"Unigram"' in text:
        with suppress(ValueError):
            return UnigramSplitter(json.loads(text))
    return tokenizers.Tokenizer.from_buffer(text)


def _is_plain(settings: Any) -> bool:
    """Returns whether all special pieces are strings, and the config lists all added pieces."""
    if not isinstance(settings, dict) or settings.get("tokenizer_class") not in _CLASSES:
        return False
    if not isinstance(settings.get("added_tokens_decoder"), dict):
        return False
    if not isinstance(settings.get("model_max_length", 1), int) or "auto_map" in settings:
        return False
    if any(settings.get(f"{kind}_special_tokens") for kind in ("additional", "extra")):
        return False
    pieces = (settings.get(f"{name}_token") for name in _NAMES)
    return all(piece is None or isinstance(piece, str) for piece in pieces)
