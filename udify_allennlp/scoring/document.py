"""The words of a CoNLL-U file as spans of characters, as in the CoNLL 2018 measures."""

import unicodedata
from collections.abc import Callable, Iterable

from udify_allennlp.text.sentence import BOM, COLUMNS, Sentence, fault
from udify_allennlp.text.tree_check import tree_fault
from udify_allennlp.text.universal_labels import universal_deprel, universal_feats

ROOT = -1
"""The head of a word without one, among numbers of words."""
Span = tuple[int, int]
"""First character and the one after the last, counted through the file without its spaces."""


class Document:
    """
    A file as lists: an entry for each sentence, token or word, numbered from 0 through the file.

    # Parameters

    sentences : `Iterable[Sentence]`

    # Raises

    `ConlluError` if the heads of a sentence are not a tree with one root, and for a form of only
    spaces. A relation may be missing.
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.sources: list[Sentence] = []
        self.sentences: list[Span] = []
        self.tokens: list[Span] = []
        self.words: list[Span] = []  # those of a multiword token have its span
        self.in_multiword: list[bool] = []
        self.heads: list[int] = []
        self.columns: dict[str, list[str]] = {
            name: [] for name in ("form", "lemma", "upos", "xpos", "feats", "deprel")
        }
        self._characters: list[str] = []  # of each token
        self._end = 0
        for sentence in sentences:
            self._add(sentence)
        self.characters = "".join(self._characters)

    def where(self, character: int) -> str:
        """Returns file and line of the sentence with a character, for messages."""
        for sentence, (_, end) in zip(self.sources, self.sentences):
            if character < end:
                return f" in the sentence at {sentence.path}:{sentence.line}"
        return " at the end"

    def _add(self, sentence: Sentence) -> None:
        start, first, last_of_token = self._end, len(self.words), 0
        words: list[list[str]] = []
        for line, row in enumerate(sentence.text.split("\n"), start=sentence.line):
            cells = row.removeprefix(BOM).split("\t")
            if len(cells) == 1 or row[0] == "#" or "." in cells[0]:
                continue  # of empty nodes nothing is scored
            in_multiword = len(words) < last_of_token
            if not in_multiword:  # a token; the words of a multiword token keep their spaces
                cells[1] = self._add_token(cells[1], sentence.path, line)
            if cells[0].isdigit():
                words.append(cells)
                self.words.append(self.tokens[-1])
                self.in_multiword.append(in_multiword)
            else:
                last_of_token = int(cells[0].partition("-")[2])
        columns = dict(zip(COLUMNS, zip(*words)))
        heads = columns["head"]
        # The measures take a relation that is missing for one more label.
        tree_error = tree_fault(heads, ["dep"] * len(heads))
        if tree_error:
            line = sentence.line_of(tree_error.word)
            raise fault(sentence.path, line, tree_error.what, tree_error.remedy)
        self.heads += [first + int(head) - 1 if head != "0" else ROOT for head in heads]
        for name, values in self.columns.items():
            values += map(_NORMAL[name], columns[name]) if name in _NORMAL else columns[name]
        self.sources.append(sentence)
        self.sentences.append((start, self._end))

    def _add_token(self, form: str, path: str, line: int) -> str:
        """Returns the form without its spaces, which the measures ignore."""
        if not form.isascii() or " " in form:
            form = "".join(c for c in form if unicodedata.category(c) != "Zs")
            if not form:
                raise fault(path, line, "the form has only spaces", "Write the word.")
        start, self._end = self._end, self._end + len(form)
        self.tokens.append((start, self._end))
        self._characters.append(form)
        return form


_NORMAL: dict[str, Callable[[str], str]] = {"feats": universal_feats, "deprel": universal_deprel}
