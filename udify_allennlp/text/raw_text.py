"""
Conversion of raw text to CoNLL-U and back: a tokenizer (`tokenizers.py`) finds words and sentences,
and MISC keeps all white space in the same way as UDPipe
(https://ufal.mff.cuni.cz/udpipe/1/users-manual, "Preserving Spaces"), so that the text can be
rebuilt.
"""

import io
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from udify_allennlp.text.bare import bare, places
from udify_allennlp.text.encodings import text_lines
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import open_compressed
from udify_allennlp.text.places import Places
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.surfaces import escaped, surfaces

_UNBROKEN = re.compile(r"\S+")
_SPACE = re.compile(r"\s*")
_SPACES = re.compile(r"\s+")
_BLANKS = "\t_" * 7 + "\t"
_NO_SPACE = "SpaceAfter=No"


class Token(NamedTuple):
    """A span of a text between two positions, without white space around it."""

    start: int
    """Number of characters of the text before it."""
    end: int
    words: tuple[str, ...] = ()
    """The syntactic words of a multiword token (`de le` for `du`); else empty."""


Tokenizer = Callable[[str], Iterable[list[Token]]]
"""
A function from a paragraph to the tokens of each of its sentences, in order. A tokenizer that is
faster with many paragraphs has a method `together`, from paragraphs to pairs of each and its
sentences.
"""


def tokenized(
    tokenizer: Tokenizer, paragraphs: Iterable[str]
) -> Iterator[tuple[str, Iterable[list[Token]]]]:
    """Yields each paragraph with its sentences, by `together` if the tokenizer has it."""
    together = getattr(tokenizer, "together", None)
    if together:
        return together(paragraphs)  # type: ignore[no-any-return]
    return ((paragraph, tokenizer(paragraph)) for paragraph in paragraphs)


def read_text(
    lines: Iterable[str],
    tokenizer: Tokenizer,
    ids: Optional[Iterator[int]] = None,
    path: str = "<text>",
    name: Optional[str] = None,
) -> Iterator[Sentence]:
    """
    Yields the sentences of a text, given as its lines with their ends (see `lines_of`), in the
    memory of one paragraph, or of the paragraphs that a tokenizer takes together: paragraphs are
    separated by blank lines, and no sentence crosses them. Each sentence is yielded as soon as the
    tokenizer has begun the next, so one can stop in between.

    Every character is kept, but tokenizers see the text as treebanks spell it (`bare.py`). Text
    that a tokenizer skips becomes tokens that end at white space, tokens lose the white space
    around them, and white space alone is not a token. So a text of only white space has no
    sentences and cannot be rebuilt; any other can.

    # Parameters

    lines : `Iterable[str]`
    tokenizer : `Tokenizer`
    ids : `Optional[Iterator[int]]`
        Source of the numbers in `# sent_id`, if several texts share them; by default 1, 2...
    path : `str`
        The file that the lines come from, whose name may contain the treebank.
    name : `Optional[str]`
        The id of the document, in its comment `# newdoc`.

    # Raises

    `ValueError` if the tokens of the tokenizer overlap or are out of order. `InputError` if `lines`
    is one string.
    """
    if isinstance(lines, str):
        raise InputError(f"The lines of a text are one string, {lines!r:.60}. Use lines_of(text).")
    ids = itertools.count(1) if ids is None else ids
    comments = ["# newdoc" if name is None else f"# newdoc id = {name}"]
    for paragraph, sentences in respelled(tokenizer, _paragraphs(lines), bare, places):
        comments.append("# newpar")
        for rows, text in blocks(paragraph, sentences):
            comments += [f"# sent_id = {next(ids)}", f"# text = {text}"]
            yield Sentence("\n".join([*comments, *rows]) + "\n\n", path)
            comments = []


def lines_of(text: str) -> Iterator[str]:
    r"""Returns lines with their ends, in the form for `read_text`: only `\n` ends a line."""
    return io.StringIO(text, newline="\n")


def read_lines(path: str, encoding: Optional[str] = None) -> Iterator[str]:
    """
    Yields the lines, with their ends, of a file (plain, `.gz` or `.xz`) in the encoding, by default
    UTF-8, or with a byte order mark, which is left out. Raises the errors of `text_lines`.
    """
    with open_compressed(path) as file:
        yield from text_lines(file, path, encoding)


def rebuild(sentences: Iterable[Sentence]) -> str:
    """
    Returns the text from which `read_text` made the sentences. For other sentences, words are
    separated by one space unless MISC differs.
    """
    return "".join(surface.whole for sentence in sentences for surface in surfaces(sentence))


def spans(sentence: Sentence, start: int = 0) -> list[tuple[int, int]]:
    """
    Returns the span of each word in a text in which `sentence` covers the part from `start`,
    including the spaces before and after it (`len(rebuild([sentence]))`). Words of one multiword
    token share the span of the token.
    """
    places: list[tuple[int, int]] = []
    for surface in surfaces(sentence):
        first = start + len(surface.before)
        places += [(first, first + len(surface.text))] * max(1, len(surface.words))
        start += len(surface.whole)
    return places


def blocks(text: str, sentences: Iterable[list[Token]]) -> Iterator[tuple[list[str], str]]:
    """
    Yields for each sentence its rows of CoNLL-U, annotated with white space only, and the value of
    its comment `# text`. Text outside tokens must be white space.
    """
    before: Optional[str] = None
    for tokens in sentences:
        if before is None:
            before = text[: tokens[0].start]
        behind = _SPACE.match(text, tokens[-1].end).end()  # type: ignore[union-attr]
        rows: list[str] = []
        shown: list[str] = []
        word = 1
        # A token ends where the white space in front of the next one begins.
        for (start, end, words), until in zip(tokens, [*(t.start for t in tokens[1:]), behind]):
            after = text[end:until]
            surface = text[start:end]
            form = surface if surface.isalnum() else _SPACES.sub(" ", surface)
            misc = _misc(before, after, surface if surface != form else "")
            if words:
                rows.append(f"{word}-{word + len(words) - 1}\t{form}{_BLANKS}{misc}")
                rows += [f"{word + i}\t{part}{_BLANKS}_" for i, part in enumerate(words)]
                word += len(words)
            else:
                rows.append(f"{word}\t{form}{_BLANKS}{misc}")
                word += 1
            shown += form, " " if after else ""
            before = ""
        yield rows, "".join(shown).rstrip(" ")


def _misc(before: str, after: str, surface: str) -> str:
    if not before and not surface and after in ("", " "):
        return "_" if after else _NO_SPACE
    values = {"SpacesBefore": before, "SpacesInToken": surface}
    if after not in ("", " "):
        values["SpacesAfter"] = after
    parts = [f"{name}={escaped(value)}" for name, value in values.items() if value]
    return "|".join(parts if after else [*parts, _NO_SPACE]) or "_"


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Yields each paragraph with the blank lines after it, the first also with those before it."""
    paragraph: list[str] = []
    has_text = ended = False
    for line in lines:
        if line.isspace():
            ended = has_text
        else:
            if ended:
                yield "".join(paragraph)
                paragraph, ended = [], False
            has_text = True
        paragraph.append(line)
    if has_text:
        yield "".join(paragraph)


def respelled(
    tokenizer: Tokenizer,
    paragraphs: Iterable[str],
    respell: Callable[[str], str],
    places: Callable[[str], Places],
) -> Iterator[tuple[str, Iterator[list[Token]]]]:
    """
    Yields each paragraph with its complete sentences, which the tokenizer finds in the text that
    `respell` returns for it; `places` returns where its characters come from.
    """
    originals: deque[str] = deque()

    def shown() -> Iterator[str]:
        for paragraph in paragraphs:
            originals.append(paragraph)
            yield respell(paragraph)

    for text, tokens in tokenized(tokenizer, shown()):
        original = originals.popleft()
        sentences = _complete(text, tokens)
        if text != original:
            sentences = _complete(original, _moved(sentences, *places(original)))
        yield original, sentences


def _moved(
    sentences: Iterable[list[Token]], starts: Sequence[int], ends: Sequence[int]
) -> Iterator[list[Token]]:
    """Yields sentences in a text, given the places of its respelled characters."""
    for tokens in sentences:
        yield [Token(starts[start], ends[end - 1], words) for start, end, words in tokens]


def _complete(text: str, sentences: Iterable[list[Token]]) -> Iterator[list[Token]]:
    """Yields the same sentences, with all text that is not white space in one of their tokens."""
    held: list[Token] = []
    end = 0
    for tokens in sentences:
        kept: list[Token] = []
        for token in tokens:
            start, last, words = token
            if not end <= start <= last <= len(text):
                place = f"{start}:{last}"
                raise ValueError(
                    f"the tokenizer returned the token {place} after {end} characters. Tokens must "
                    "be in order and not overlap."
                )
            if start > end:
                kept += _left_out(text, end, start)
            surface = text[start:last]
            visible = surface.strip()
            if len(visible) == last - start > 0:
                kept.append(token)
            elif visible:
                start += len(surface) - len(surface.lstrip())
                kept.append(Token(start, start + len(visible), words))
            end = last
        if kept:
            if held:
                yield held
            held = kept
    held = held + _left_out(text, end, len(text))
    if held:
        yield held


def _left_out(text: str, start: int, end: int) -> list[Token]:
    if text[start:end].isspace():
        return []
    return [Token(*match.span()) for match in _UNBROKEN.finditer(text, start, end)]
