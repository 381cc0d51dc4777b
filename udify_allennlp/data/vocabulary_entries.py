"""
Entries of a vocabulary by their first cell: `Number=Plur` of the entry `en<tab>Number=Plur`.

Most of a multilingual vocabulary is entries by language. A text in one language needs few of them,
which are taken from the text of the vocabulary's file without making a table of all.
"""

from collections.abc import Iterable
from typing import Optional

from udify_allennlp.data.columns import Numbers


def entries(vocab: Numbers, namespace: str, key: Optional[str] = None) -> Iterable[str]:
    """
    Returns the entries of a namespace, each with one or more cells between tabs; with `key`, the
    rest of those whose first cell it is.
    """
    text = _text_of(vocab, namespace)
    if text is None:
        table = vocab.get_token_to_index_vocabulary(namespace)
        if key is None:
            return table
        return [entry[len(key) + 1 :] for entry in table if entry.startswith(f"{key}\t")]
    if key is None:
        return lines_of(text)
    # A tenth of the time of looking at each line.
    others = (b"\n" + text).split(f"\n{key}\t".encode())[1:]
    return [rest.partition(b"\n")[0].decode() for rest in others]


def has_entries(vocab: Numbers, namespace: str) -> bool:
    """Returns whether a namespace has any entry."""
    return bool(_text_of(vocab, namespace) or vocab.get_token_to_index_vocabulary(namespace))


def _text_of(vocab: Numbers, namespace: str) -> Optional[bytes]:
    tables = getattr(vocab, "_token_to_index", None)  # see `vocabulary_files.py`
    texts: dict[str, bytes] = getattr(tables, "texts", {})
    return texts.get(namespace)


def lines_of(text: bytes) -> list[str]:
    """Returns the lines of a vocabulary file."""
    return text.decode().removesuffix("\n").split("\n") if text else []
