"""The sentences of text files and treebanks, one after the other, starting anywhere."""

import random
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import IO, Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.files import DAMAGED, open_compressed
from udify_allennlp.text.input_kinds import CONLLU, kind_of_name
from udify_allennlp.text.line_reader import damaged, decoded, decoded_block
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import BOM, Sentence


class TextLines:
    """
    The non-blank lines of some files, or the sentences of treebanks, pass after pass, each in
    another order.
    """

    def __init__(self, paths: Sequence[str], seed: str) -> None:
        self.paths = paths
        self._seed = seed
        self._pass = self._file = self._line = self._offset = 0
        self._order: list[str] = []
        self._open: Optional[IO[bytes]] = None
        self._stack = ExitStack()
        weakref.finalize(self, self._stack.close)  # of a stream that is given up

    def next(self) -> str:
        blank_from = self._pass
        while True:
            if self._open is None:
                if self._file == len(self.paths):
                    self._pass, self._file = self._pass + 1, 0
                    # A whole pass, begun at its first file, without a line.
                    if self._pass > blank_from + 1:
                        raise ConfigurationError(
                            f"{', '.join(self.paths)}: no line has words. Name files with text."
                        )
                self._start()
            text = self._sentence(self._order[self._file])
            if text:
                return text
            if text is None:
                self._stack.close()
                self._open = None
                self._file, self._line, self._offset = self._file + 1, 0, 0

    def once(self) -> Iterator[str]:
        """The lines of the first file."""
        self._start()
        while (text := self._sentence(self._order[0])) is not None:
            if text:
                yield text
        self._stack.close()

    def _sentence(self, path: str) -> Optional[str]:
        """
        Returns the next line, or sentence of a treebank; empty for a blank line, `None` at the end.
        """
        raw = self._readline(path)
        if not raw:
            return None
        first = self._line
        if not is_treebank(path):
            text = decoded(raw, path, first)
            return (text.removeprefix(BOM) if first == 1 else text).strip()
        block = []
        while raw.strip():
            block.append(raw)
            raw = self._readline(path)
        if not block:
            return ""
        sentence = Sentence(decoded_block(b"".join(block), path, first), path, first)
        return " ".join(rebuild([sentence]).split())

    def _start(self) -> None:
        self._order = random.Random(f"{self._seed} {self._pass}").sample(
            list(self.paths), len(self.paths)
        )
        path = self._order[self._file]
        self._open = self._stack.enter_context(open_compressed(path))
        if self._offset:
            try:
                self._open.seek(self._offset)
            except DAMAGED as error:
                raise damaged(path, self._line, error) from error

    def _readline(self, path: str) -> bytes:
        assert self._open is not None
        try:
            raw = self._open.readline()
        except DAMAGED as error:
            raise damaged(path, self._line + 1, error) from error
        self._line += bool(raw)
        self._offset += len(raw)
        return raw

    def state(self) -> dict[str, Any]:
        return {
            "files": len(self.paths),
            "seed": self._seed,
            "pass": self._pass,
            "file": self._file,
            "line": self._line,
            "offset": self._offset,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self._stack.close()
        self._open = None
        self._seed = state["seed"]
        self._pass, self._file = state["pass"], state["file"]
        self._line, self._offset = state["line"], state["offset"]


def is_treebank(path: str) -> bool:
    return kind_of_name(path) == CONLLU
