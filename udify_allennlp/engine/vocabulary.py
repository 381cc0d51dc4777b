"""AllenNLP's vocabulary files, read without AllenNLP."""

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

_OOV, _NEWLINE, _PATTERNS = "@@UNKNOWN@@", "@@NEWLINE@@", "non_padded_namespaces"
_ENDING = ".txt"


class VocabularyFolder:
    """
    The numbers of strings in the folder `vocabulary` of an archive; each file is read at the first
    request.

    # Parameters

    folder : `Path`
    """

    _oov_token = _OOV

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._namespaces = {path.name.removesuffix(_ENDING) for path in folder.glob(f"*{_ENDING}")}
        self._namespaces.discard(_PATTERNS)
        self._patterns = self._lines(_PATTERNS)
        self.get_token_to_index_vocabulary = cache(self._numbers)

    def get_namespaces(self) -> Collection[str]:
        return self._namespaces

    def labels(self, namespace: str) -> list[str]:
        """Returns the strings of a namespace of labels, which are not padded, in their order."""
        return list(self.get_token_to_index_vocabulary(namespace))

    def _numbers(self, namespace: str = "tokens") -> Mapping[str, int]:
        """Returns the numbers of strings; of padded namespaces 0 is padding."""
        if namespace not in self._namespaces:
            return {}
        padded = not any(fnmatchcase(namespace, pattern) for pattern in self._patterns)
        return {name: number for number, name in enumerate(self._lines(namespace), int(padded))}

    def _lines(self, name: str) -> list[str]:
        text = (self._folder / f"{name}{_ENDING}").read_bytes().decode("utf-8")
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        if _NEWLINE in text:
            return [line.replace(_NEWLINE, "\n") for line in lines]
        return lines
