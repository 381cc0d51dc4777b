"""Bracketed files, read and written byte for byte."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, Optional, Union

from udify_allennlp.text.constituents.parsing import parse_tree
from udify_allennlp.text.constituents.sentences import sentence_of, tree_of
from udify_allennlp.text.constituents.tree import EMPTY_TAGS, PhraseTree
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import open_compressed, whole_file
from udify_allennlp.text.line_reader import decoded_block, numbered
from udify_allennlp.text.sentence import BOM, Sentence, fault

AnyPath = Union[str, "os.PathLike[str]"]
_BRACKET = re.compile(rb"[()]")


class BracketedTree(NamedTuple):
    """A tree in its form in a file."""

    text: str
    """The text with the white space around it: the texts of a file joined are the file."""
    tree: PhraseTree
    """The tree with its empty nodes and function tags."""
    path: str
    line: int
    """The line of its first bracket, from 1."""

    def sentence(self, empty: Collection[str] = EMPTY_TAGS) -> Sentence:
        """
        Returns the sentence as CoNLL-U: tags are XPOS, the tree is in MISC (`sentences.py`), other
        columns are empty.

        # Raises

        `ConlluError` if no words are left without those whose tag is one of `empty`.
        """
        tree = self.tree.without_empty(empty)
        if not tree.words:
            what = "the tree has empty nodes and no words"
            raise fault(self.path, self.line, what, "Remove the tree.")
        return sentence_of(tree, self.path, self.line)


def read_trees(
    path: AnyPath, on_error: Optional[Callable[[ConlluError], None]] = None
) -> Iterator[BracketedTree]:
    """
    Yields the trees of a UTF-8 file (plain, `.gz` or `.xz`), each over one or more lines, possibly
    several in a line. Their `text` joined is the file, with its byte order mark; a file of white
    space has no tree. Raises `ConlluError` for the first fault; `on_error`, if given, is called
    with each fault instead, and reading continues with the next tree.
    """
    path = os.fspath(path)
    with open_compressed(path) as file:
        for first, block in _blocks(numbered(file, path)):
            try:
                text = decoded_block(block, path, first)
                if text.removeprefix(BOM).strip():
                    line = first + text.count("\n", 0, max(text.find("("), 0))
                    tree = parse_tree(text.removeprefix(BOM), path, first)
                    yield BracketedTree(text, tree, path, line)
            except ConlluError as error:
                if on_error is None:
                    raise
                on_error(error)


def write_trees(sentences: Iterable[Sentence], path: AnyPath) -> None:
    """
    Writes the trees that sentences have in MISC, one per line, through `whole_file`.

    # Raises

    `ConlluError` for a sentence without a tree.
    """
    with whole_file(path) as file:
        for sentence in sentences:
            file.write(f"{tree_of(sentence).brackets()}\n".encode())


def _blocks(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """
    Yields the first line and the bytes of each tree. Text after a tree, white space or a fault,
    belongs to it; text before the first tree belongs to that.
    """
    block = bytearray()
    first, depth, has_tree = 1, 0, False
    for number, raw in lines:
        start = 0
        for match in _BRACKET.finditer(raw):
            opens = match[0] == b"("
            if opens and not depth and has_tree:
                yield first, bytes(block + raw[start : match.start()])
                block.clear()
                first, start = number, match.start()
            has_tree = has_tree or opens
            depth = max(0, depth + (1 if opens else -1))
        block += raw[start:]
    if block:
        yield first, bytes(block)
