"""Entries of a vocabulary with compressed text: `language<tab>text` in base 64."""

import base64
import bz2

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.vocabulary_entries import first_entry
from udify_allennlp.text.errors import InputError

_MOST = 2**25
"""Maximum number of bytes of a text, so that an archive cannot exhaust memory."""


def packed_entry(key: str, text: str) -> str:
    """Returns the entry of a key, a language for example."""
    packed = bz2.compress(text.encode())  # a twentieth smaller than by LZMA
    return f"{key}\t{base64.b64encode(packed).decode()}"


def packed_text(vocab: Numbers, namespace: str, lang: str) -> str:
    """Returns a language's entry without the language; `""` if there is none."""
    return first_entry(vocab, namespace, lang) if lang else ""


def unpacked(packed: str) -> str:
    """
    Returns the text of an entry without its language.

    # Raises

    `ValueError`, `OverflowError` or `OSError` if it is damaged.
    """
    unpacker = bz2.BZ2Decompressor()
    text = unpacker.decompress(base64.b64decode(packed), _MOST)
    if not unpacker.eof:
        raise ValueError("it ends early or is too large")
    return text.decode()


def damaged(what: str, namespace: str, lang: str, error: Exception) -> InputError:
    """Returns the error for an entry that cannot be read."""
    return InputError(
        f"The model's {what} of {lang} are damaged: its vocabulary {namespace} has another entry "
        f"than the training wrote ({error}). Get or make the archive again."
    )
