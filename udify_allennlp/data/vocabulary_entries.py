"""
Entries of a vocabulary by their first cell: `Number=Plur` of the entry `en<tab>Number=Plur`.

Most of a multilingual vocabulary is entries by language. A text in one language needs few of them,
which are taken from the text of the vocabulary's file without making a table of all.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
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
    return _rests(text, key)


def has_entries(vocab: Numbers, namespace: str) -> bool:
    """Returns whether a namespace has any entry."""
    return bool(_text_of(vocab, namespace) or vocab.get_token_to_index_vocabulary(namespace))


def first_entry(vocab: Numbers, namespace: str, key: str) -> str:
    """Returns the rest of the first entry with a key; `""` if there is none."""
    text = _text_of(vocab, namespace)
    if text is None:
        return next(iter(entries(vocab, namespace, key)), "")
    return _first(text, key)


@lru_cache(maxsize=2**5)  # all that read the same vocabulary share them, and what is made of them
def _first(text: bytes, key: str) -> str:
    return next(_rests(text, key), "")


def _rests(text: bytes, key: str) -> Iterator[str]:
    """Yields the rest of each line of a text that begins with a key and a tab."""
    # A tenth of the time of looking at each line.
    text, mark = b"\n" + text, f"\n{key}\t".encode()
    place = text.find(mark)
    while place >= 0:
        end = text.find(b"\n", place + len(mark))
        end = len(text) if end < 0 else end
        yield text[place + len(mark) : end].decode()
        place = text.find(mark, end)


def _text_of(vocab: Numbers, namespace: str) -> Optional[bytes]:
    tables = getattr(vocab, "_token_to_index", None)  # see `vocabulary_files.py`
    texts: dict[str, bytes] = getattr(tables, "texts", {})
    return texts.get(namespace)


def lines_of(text: bytes) -> list[str]:
    """Returns the lines of a vocabulary file."""
    return text.decode().removesuffix("\n").split("\n") if text else []
