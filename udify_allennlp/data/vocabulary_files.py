"""
Vocabularies as their files have them: a namespace is made into a table when someone asks for it.

Most of a multilingual vocabulary is entries by language, such as `en<tab>Number=Plur`. A text in
one language needs few of them, which `entries` takes from the file's text.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Optional, Union

from allennlp.common.util import namespace_match
from allennlp.data import Vocabulary
from allennlp.data.vocabulary import (
    DEFAULT_OOV_TOKEN,
    NAMESPACE_PADDING_FILE,
    _NamespaceDependentDefaultDict,
)

_original = Vocabulary.from_files.__func__
# In a file, a line break in a label, and what AllenNLP takes for the end of a line as well.
_SPECIAL = (b"@@NEWLINE@@", b"\r")


def install() -> None:
    """Makes AllenNLP read vocabularies as this module does. Safe to call twice."""
    Vocabulary.from_files = classmethod(_from_files)


def entries(vocab: Vocabulary, namespace: str, key: Optional[str] = None) -> Iterable[str]:
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
        return _lines(text)
    # A tenth of the time of looking at each line.
    others = (b"\n" + text).split(f"\n{key}\t".encode())[1:]
    return [rest.partition(b"\n")[0].decode() for rest in others]


def has_entries(vocab: Vocabulary, namespace: str) -> bool:
    """Returns whether a namespace has any entry."""
    return bool(_text_of(vocab, namespace) or vocab.get_token_to_index_vocabulary(namespace))


def _text_of(vocab: Vocabulary, namespace: str) -> Optional[bytes]:
    texts: dict[str, bytes] = getattr(vocab._token_to_index, "texts", {})
    return texts.get(namespace)


def _lines(text: bytes) -> list[str]:
    return text.decode().removesuffix("\n").split("\n") if text else []


class _Tables(_NamespaceDependentDefaultDict):
    """Tables by namespace, with those that are made of `texts` on demand."""

    def __init__(
        self,
        others: _NamespaceDependentDefaultDict,
        texts: dict[str, bytes],
        table_of: Callable[[list[str]], dict],
    ) -> None:
        super().__init__(
            others._non_padded_namespaces, others._padded_function, others._non_padded_function
        )
        self.update(others)
        self.texts = dict(texts)
        self._table_of = table_of

    def __missing__(self, namespace: str) -> Any:
        text = self.texts.get(namespace)
        if text is not None:
            self[namespace] = self._table_of(_lines(text))
            # Only now: another thread may ask for it meanwhile.
            self.texts.pop(namespace, None)
        elif not super().__contains__(namespace):
            return super().__missing__(namespace)
        return self[namespace]

    def __contains__(self, namespace: object) -> bool:
        return namespace in self.texts or super().__contains__(namespace)

    def __iter__(self) -> Iterator[str]:
        return iter([*super().keys(), *self.texts])

    def __len__(self) -> int:
        return super().__len__() + len(self.texts)

    def keys(self) -> Any:
        return dict.fromkeys(self).keys()

    def values(self) -> Any:
        return [self[namespace] for namespace in self]

    def items(self) -> Any:
        return [(namespace, self[namespace]) for namespace in self]

    def pop(self, namespace: str, *default: Any) -> Any:
        if namespace in self.texts:
            self[namespace]
        return super().pop(namespace, *default)


def _from_files(
    cls: type[Vocabulary],
    directory: Union[str, os.PathLike],
    padding_token: Optional[str] = None,
    oov_token: Optional[str] = None,
) -> Vocabulary:
    """AllenNLP's `Vocabulary.from_files`."""
    if not os.path.isfile(os.path.join(directory, NAMESPACE_PADDING_FILE)):
        return _original(cls, directory, padding_token, oov_token)
    names = (Path(directory) / NAMESPACE_PADDING_FILE).read_text(encoding="utf-8").splitlines()
    patterns = [name.strip() for name in names]
    vocab = cls(non_padded_namespaces=patterns, padding_token=padding_token, oov_token=oov_token)
    texts: dict[str, bytes] = {}
    for name in os.listdir(directory):
        if name == NAMESPACE_PADDING_FILE or name.startswith("."):
            continue
        path, namespace = Path(directory, name), name.replace(".txt", "")
        is_padded = not any(namespace_match(pattern, namespace) for pattern in patterns)
        text = path.read_bytes()
        text.decode()  # not later: what is no UTF-8 cannot be loaded
        if is_padded or any(special in text for special in _SPECIAL):
            vocab.set_from_file(str(path), is_padded, oov_token or DEFAULT_OOV_TOKEN, namespace)
        else:
            texts[namespace] = text
    vocab._token_to_index = _Tables(vocab._token_to_index, texts, _numbers)
    vocab._index_to_token = _Tables(vocab._index_to_token, texts, _by_number)
    return vocab


def _numbers(lines: list[str]) -> dict[str, int]:
    return {line: number for number, line in enumerate(lines)}


def _by_number(lines: list[str]) -> dict[int, str]:
    return dict(enumerate(lines))
