"""AllenNLP's vocabularies with a table per namespace that is made when someone asks for it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Optional, Union

from allennlp.common.util import namespace_match
from allennlp.data import Vocabulary
from allennlp.data.vocabulary import (
    DEFAULT_OOV_TOKEN,
    NAMESPACE_PADDING_FILE,
    _NamespaceDependentDefaultDict,
)

from udify_allennlp.data.vocabulary_entries import lines_of

_original = Vocabulary.from_files.__func__
# In a file, a line break in a label, and what AllenNLP takes for the end of a line as well.
_SPECIAL = (b"@@NEWLINE@@", b"\r")


def install() -> None:
    """Makes AllenNLP read vocabularies as this module does. Safe to call twice."""
    Vocabulary.from_files = classmethod(_from_files)


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
            self[namespace] = self._table_of(lines_of(text))
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
