"""Parsed sentences as a table with a row for each word, for any writer."""

from collections.abc import Iterable, Iterator
from typing import Any, Optional

from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.word import Word

_WORD = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "misc", "start", "end")
COLUMNS = ("file", "text_index", "sentence", "sent_id", *_WORD)
HEAD_COLUMNS = ("head_form", "head_lemma", "head_upos")
NUMBERS = ("text_index", "sentence", "id")
"""Integer columns that every word has."""
GAPPY_NUMBERS = ("head", "start", "end")
"""Integer columns that may be missing."""


def columns(heads: bool = False) -> list[str]:
    """Returns the names of the columns, in order."""
    return [*COLUMNS, *(HEAD_COLUMNS if heads else ())]


def rows(sentences: Iterable[ParsedSentence], heads: bool = False) -> Iterator[dict[str, Any]]:
    """
    Yields the words by column. `file`, `text_index` and `sentence` (from 0) give its place,
    `head_form`, `head_lemma` and `head_upos` its head; `None` for the root.
    """
    for number, sentence in enumerate(sentences):
        place = {
            "file": _file(sentence.sentence.path),
            "text_index": sentence.text_index,
            "sentence": number,
            "sent_id": sentence.sent_id,
        }
        for word, feats in zip(sentence, sentence.sentence.feats):
            row = {**place, **{name: getattr(word, name) for name in _WORD}, "feats": feats}
            if heads:
                row.update(_head(word.parent))
            yield row


def _head(head: Optional[Word]) -> dict[str, Optional[str]]:
    cells = (None,) * 3 if head is None else (head.form, head.lemma, head.upos)
    return dict(zip(HEAD_COLUMNS, cells))


def _file(path: str) -> Optional[str]:
    """Returns the file; sentences without a file have a name such as `<text>`."""
    return None if path.startswith("<") and path.endswith(">") else path
