"""Parsed sentences as a table with a row for each word, whatever writes it."""

from collections.abc import Iterable, Iterator
from typing import Any, Optional

from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.word import Word

_WORD = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "misc", "start", "end")
COLUMNS = ("file", "text_index", "sentence", "sent_id", *_WORD)
HEAD_COLUMNS = ("head_form", "head_lemma", "head_upos")
NUMBERS = ("text_index", "sentence", "id")
"""Columns of whole numbers that every word has."""
GAPPY_NUMBERS = ("head", "start", "end")
"""Columns of whole numbers that may be missing."""


def columns(heads: bool = False) -> list[str]:
    """The names of the columns, in their order."""
    return [*COLUMNS, *(HEAD_COLUMNS if heads else ())]


def rows(sentences: Iterable[ParsedSentence], heads: bool = False) -> Iterator[dict[str, Any]]:
    """
    The words by column. `file`, `text_index` and `sentence` (the first of all is 0) say where one
    stands, `head_form`, `head_lemma` and `head_upos` what it depends on; `None` for the root.
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
    """Returns the file; sentences from no file have a name such as `<text>`."""
    return None if path.startswith("<") and path.endswith(">") else path
