"""Parsing of a bracketed string into a tree."""

import re
from typing import NoReturn, Optional

from udify_allennlp.text.constituents.tree import Phrase, PhraseTree
from udify_allennlp.text.sentence import fault

_TOKEN = re.compile(r"[()]|[^() \t\r\n\f\v]+")


def parse_tree(text: str, path: str = "<text>", line: int = 1) -> PhraseTree:
    """
    Returns the tree of a string such as `(TOP (NP (DT The) (NN dog)))`, over one or more lines,
    which begins at `line` of `path`.

    # Raises

    `ConlluError` with file, line and remedy if it is not one tree.
    """
    return _Reader(text, path, line).read()


class _Open:
    """A bracket that is not closed yet."""

    __slots__ = ("at", "label", "start", "phrase", "word")

    def __init__(self, at: int, start: int) -> None:
        self.at = at
        self.label = ""
        self.start = start
        self.phrase: Optional[int] = None  # its place among the phrases once it holds a bracket
        self.word: Optional[str] = None


class _Reader:
    """A parser of one tree, without recursion, so that brackets may nest to any depth."""

    def __init__(self, text: str, path: str, line: int) -> None:
        self._text, self._path, self._line = text, path, line
        self._words: list[str] = []
        self._tags: list[str] = []
        self._phrases: list[Optional[Phrase]] = []
        self._open: list[_Open] = []

    def read(self) -> PhraseTree:
        before = ""
        for match in _TOKEN.finditer(self._text):
            token = match[0]
            if token == "(":
                self._begin(match.start())
            elif token == ")":
                self._end(match.start())
            elif not self._open:
                self._fail(match.start(), f"{token[:40]!r} is outside the brackets")
            elif before == "(":
                self._open[-1].label = token
            else:
                self._word(match.start(), token)
            before = token
        if self._open:
            what = "the bracket is never closed, so no tree below it can be read"
            self._fail(self._open[0].at, what, "Close each bracket of its tree.")
        phrases = tuple(phrase for phrase in self._phrases if phrase is not None)
        return PhraseTree(tuple(self._words), tuple(self._tags), phrases)

    def _begin(self, at: int) -> None:
        if self._open:
            parent = self._open[-1]
            if parent.word is not None:
                self._fail(at, f"a bracket is beside the word {parent.word[:40]!r}")
            if parent.phrase is None:
                parent.phrase = len(self._phrases)
                self._phrases.append(None)
        self._open.append(_Open(at, len(self._words) + 1))

    def _end(self, at: int) -> None:
        if not self._open:
            self._fail(
                at,
                "a closing bracket has no opening one",
                "Add the opening bracket, or remove this one.",
            )
        closed = self._open.pop()
        if closed.phrase is not None:
            phrase = Phrase(closed.label, closed.start, len(self._words))
            self._phrases[closed.phrase] = phrase
        elif closed.word is not None:
            self._words.append(closed.word)
            self._tags.append(closed.label)
        else:
            what = f"the bracket ({closed.label[:40]}) contains no word"
            self._fail(closed.at, what, "Write (TAG word), or remove it.")

    def _word(self, at: int, token: str) -> None:
        last = self._open[-1]
        if last.phrase is not None or last.word is not None or not last.label:
            self._fail(at, f"the word {token[:40]!r} has no separate tag and bracket")
        last.word = token

    def _fail(self, at: int, what: str, remedy: str = "Write each word as (TAG word).") -> NoReturn:
        raise fault(self._path, self._line + self._text.count("\n", 0, at), what, remedy)
