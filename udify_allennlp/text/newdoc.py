"""The comment `# newdoc id = NAME`, which marks the start of another document in a CoNLL-U file."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional

from udify_allennlp.text.conllu import distinct_names
from udify_allennlp.text.files import compression
from udify_allennlp.text.input_kinds import kind_of_name
from udify_allennlp.text.sentence import BOM, Sentence

_NEWDOC = re.compile(r"#\s*newdoc\b")
_FIRST_LINES = re.compile(r"(?:\r?\n)*(?:#\s*global\.columns\b[^\n]*\n)?")


def bare_name(path: str) -> str:
    """Returns the name of a file without its folder, its compression, and a known ending."""
    name = os.path.basename(path).removesuffix(compression(path))
    return os.path.splitext(name)[0] if kind_of_name(name) else name


def document_names(paths: Sequence[str]) -> list[str]:
    """Returns a name for each file: as short as possible, but no two files have the same."""
    return distinct_names(paths, bare_name)


def document(sentences: Iterable[Sentence], name: Optional[str]) -> Iterator[Sentence]:
    """Yields the sentences of a document, the first with its `name`, if it has one."""
    for index, sentence in enumerate(sentences):
        yield with_newdoc(sentence, name) if name and not index else sentence


def with_newdoc(sentence: Sentence, name: str) -> Sentence:
    """
    Returns the sentence as the first of the document `name`, unless it already has such a comment.
    """
    if any(_NEWDOC.match(comment) for comment in sentence.comments):
        return sentence
    text = sentence.text.removeprefix(BOM)
    mark = sentence.text[: len(sentence.text) - len(text)]
    end = _FIRST_LINES.match(text).end()  # type: ignore[union-attr]
    newline = "\r\n" if "\r\n" in text else "\n"
    text = f"{mark}{text[:end]}# newdoc id = {name}{newline}{text[end:]}"
    return Sentence(text, sentence.path)
