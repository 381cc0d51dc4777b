"""
Hugging Face tokenizers, loaded from their files without transformers, whose import takes a second
and which does not change the splitting of words if the file is complete.
"""

import functools
import json
from pathlib import Path
from typing import Any, Optional

import tokenizers

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

    backend : `tokenizers.Tokenizer`
    settings : `dict[str, Any]`
        The contents of `tokenizer_config.json`.
    """

    def __init__(self, backend: tokenizers.Tokenizer, settings: dict[str, Any]) -> None:
        self.backend_tokenizer = backend
        self.model_max_length: int = settings.get("model_max_length", _NO_LIMIT)
        self._settings = settings
        for name in _NAMES:
            piece = settings.get(f"{name}_token")
            setattr(self, f"{name}_token_id", None if piece is None else backend.token_to_id(piece))

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
        backend = tokenizers.Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    except Exception:  # who loads it with transformers is told what is wrong; tokenizers raises any
        return None
    added = {
        str(number): {flag: getattr(piece, flag) for flag in _FLAGS}
        for number, piece in backend.get_added_tokens_decoder().items()
    }
    tokenizer = FileTokenizer(backend, settings)
    pieces = [settings.get(f"{name}_token") for name in _NAMES]
    there = all(piece is None or backend.token_to_id(piece) is not None for piece in pieces)
    return tokenizer if there and added == settings["added_tokens_decoder"] else None


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
