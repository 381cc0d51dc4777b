"""The raw text of treebanks, with its sentences and words."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Optional

from udify_allennlp.text.raw_text import Token
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.surfaces import surfaces

PARAGRAPH = "\n\n"
"""The separator of two paragraphs."""
_NEW = re.compile(r"^\ufeff?#\s*new(?:par|doc)\b", re.MULTILINE)
# Kana and Han: no space between sentences either. Thai, Lao, Burmese and Khmer have one.
_GLUED = re.compile("[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")


class Paragraph(NamedTuple):
    """Text without a blank line between its sentences, nor white space around it."""

    text: str
    sentences: list[list[Token]]


def paragraphs(sentences: Iterable[Sentence]) -> Iterator[Paragraph]:
    """
    Yields the text of sentences, paragraph by paragraph; joined with `PARAGRAPH` they are a raw
    text.

    A paragraph starts at a sentence with the comment `# newpar` or `# newdoc`, and where MISC has a
    blank line between two sentences. Elsewhere, two sentences are separated by the white space in
    MISC or, without any, by a space, except after a sentence in Chinese or Japanese.
    """
    parts: list[str] = []
    paragraph: list[list[Token]] = []
    length = 0
    for sentence in sentences:
        if paragraph and (_NEW.search(sentence.text) or parts[-1].count("\n") > 1):
            yield Paragraph("".join(parts).rstrip(), paragraph)
            parts, paragraph, length = [], [], 0
        first = len(parts)
        tokens: list[Token] = []
        for surface in surfaces(sentence):
            before = surface.before if parts else ""
            parts += [_space(before), surface.text.strip(), _space(surface.after)]
            start = length + len(parts[-3])
            # The range of one word is no multiword token.
            words = surface.words if len(surface.words) > 1 else ()
            tokens.append(Token(start, start + len(parts[-2]), words))
            length += sum(map(len, parts[-3:]))
        if surface.after is None and _GLUED.match(_last_letter("".join(parts[first:]))):
            length -= len(parts.pop())
            parts.append("")
        paragraph.append(tokens)
    if paragraph:
        yield Paragraph("".join(parts).rstrip(), paragraph)


def _last_letter(text: str) -> str:
    return next(filter(str.isalpha, reversed(text)), "")


def _space(misc_space: Optional[str]) -> str:
    """Returns the white space in MISC; anything else there counts as a space."""
    return " " if misc_space is None or (misc_space and not misc_space.isspace()) else misc_space
