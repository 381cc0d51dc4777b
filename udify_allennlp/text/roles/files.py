"""
Files of semantic roles, read and written byte for byte (see `columns.py`), and the rows of a
sentence in such a file.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Optional, Union
from urllib.parse import unquote

from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import DAMAGED, compression, open_compressed, whole_file
from udify_allennlp.text.line_reader import decoded_block, numbered
from udify_allennlp.text.roles.columns import GOLD, NE, PARSE, RoleSentence
from udify_allennlp.text.roles.predicates import PRED, UNKNOWN, predicates_of
from udify_allennlp.text.roles.styles import (
    BLANK,
    DEPENDENCIES,
    SPANS,
    STYLES,
    has_brackets,
    split_row,
    style_of,
    style_of_name,
)
from udify_allennlp.text.sentence import BOM, Sentence, fault

_ENDINGS = (".conll", *(f".{style}" for style in STYLES))
_BLANK = BLANK.encode()
_BOM = BOM.encode()


def read_roles(
    path: Union[str, "os.PathLike[str]"],
    on_error: Optional[Callable[[ConlluError], None]] = None,
) -> Iterator[RoleSentence]:
    """
    Yields the sentences of a UTF-8 file (plain, `.gz` or `.xz`), whose first line determines its
    format (`style_of`). Their `text` joined is the file, with its byte order mark, except for blank
    lines at its top. Raises `ConlluError` for the first invalid sentence; `on_error`, if given, is
    called with each such error instead, and reading continues.
    """
    path = os.fspath(path)
    style: Optional[str] = None
    for line, block in _blocks(path):
        try:
            text = decoded_block(block, path, line)
            style = style or style_of(text, style_of_name(path))
            yield RoleSentence(text, style, path, line)
        except ConlluError as error:
            if on_error is None:
                raise
            on_error(error)


def holds_roles(path: Union[str, "os.PathLike[str]"]) -> bool:
    """
    Returns whether a file is in such columns: its name ends in `.conll`, `.conll05` or `.conll09`,
    perhaps followed by `.gz` or `.xz`, and it does not begin like CoNLL-U.
    """
    name = os.path.basename(os.fspath(path)).removesuffix(compression(path))
    if os.path.splitext(name)[1] not in _ENDINGS or not os.path.isfile(path):
        return False
    with suppress(*DAMAGED), open_compressed(path) as file:
        for raw in file:
            raw = raw.removeprefix(_BOM)
            if raw.strip(_BLANK):
                cells = split_row(raw.decode("utf-8", "replace").rstrip("\r\n"))
                is_conllu = len(cells) == 10 and cells[0][:1] == "1" and "*" not in cells[6]
                is_comment = raw[:1] == b"#" and not has_brackets(cells)
                return not is_conllu and not is_comment
    return False


def write_roles(
    sentences: Iterable[Sentence], path: Union[str, "os.PathLike[str]"], style: str
) -> None:
    """
    Writes the roles of sentences in columns, through `whole_file`. Sentences from a file of
    `conll09`, in its order, keep its gold columns.
    """
    origins = _Origins()
    with whole_file(path) as file:
        for sentence in sentences:
            block = role_sentence(sentence, style)
            if style == DEPENDENCIES:
                block = with_gold_of(block, origins.of(sentence))
            file.write(block.text.encode("utf-8"))


class _Origins:
    """The blocks that sentences were made of: their files are read again in parallel."""

    def __init__(self) -> None:
        self._path: Optional[str] = None
        self._blocks: Iterator[RoleSentence] = iter(())

    def of(self, sentence: Sentence) -> Optional[RoleSentence]:
        """Returns the block that a sentence was read from; `None` for sentences from elsewhere."""
        if sentence.path != self._path:
            self._path = sentence.path
            self._blocks = read_roles(self._path) if holds_roles(self._path) else iter(())
        return next((block for block in self._blocks if block.line == sentence.line), None)


def _blocks(path: str) -> Iterator[tuple[int, bytes]]:
    """Yields the first line and the bytes of each block, with the blank lines after it."""
    block: list[bytes] = []
    first, ended = 1, False
    with open_compressed(path) as file:
        for number, raw in numbered(file, path):
            # A mark that nothing but blanks follows is one of the blank lines at the top.
            if (raw.removeprefix(_BOM) if number == 1 else raw).strip(_BLANK):
                if ended:
                    yield first, b"".join(block)
                if ended or not block:
                    block, first, ended = [], number, False
                block.append(raw)
            elif block:
                ended = True
                block.append(raw)
    if block:
        yield first, b"".join(block)


def role_sentence(sentence: Sentence, style: str) -> RoleSentence:
    """
    Returns a sentence in the columns of `conll05` or `conll09`, with the roles of its MISC. Both
    columns of `conll09` for lemmas, tags, feats and trees have the sentence's values.

    # Raises

    `ValueError` for spans that overlap but do not nest, and `ConlluError` for a predicate without
    roleset that `conll09` cannot hold.
    """
    misc = [
        dict(part.split("=", 1) for part in cell.split("|") if "=" in part)
        for cell in sentence.misc
    ]
    rows = []
    pairs = zip(sentence.forms, sentence.xpos, misc)
    for number, (form, tag, cells) in enumerate(pairs):
        if style == SPANS:
            kept = (unquote(cells.get(key, "*")) for key in (PARSE, NE))
            rows.append([form, tag, *kept, "-", "-"])
            continue
        columns = (sentence.lemmas, sentence.xpos, sentence.feats, sentence.heads, sentence.deprels)
        twice = [column[number] for column in columns for _ in range(2)]
        rows.append([str(number + 1), form, *twice, "_", "_"])
    text = "".join("\t".join(row) + "\n" for row in rows) + "\n"
    empty = RoleSentence(text, style, sentence.path, sentence.line)
    predicates = predicates_of(sentence)
    if style == SPANS:
        return empty.replace([predicate._replace(heads=()) for predicate in predicates])
    unknown = next((predicate.word for predicate in predicates if not predicate.lemma), None)
    if unknown and any(predicate.lemma or predicate.heads for predicate in predicates):
        what = f"word {unknown} has MISC {PRED}={UNKNOWN}, a predicate without roleset"
        remedy = (
            f"Write {PRED}=see.01: {style} allows {UNKNOWN} only if no predicate has a roleset or "
            "roles."
        )
        raise fault(sentence.path, sentence.line_of(unknown), what, remedy)
    return empty.replace([predicate._replace(spans=()) for predicate in predicates])


def with_gold_of(sentence: RoleSentence, origin: Optional[RoleSentence]) -> RoleSentence:
    """
    Returns a sentence of `conll09` with the LEMMA, POS, FEAT, HEAD and DEPREL of the block that it
    was made of, if that is in this format.
    """
    if origin is None or origin.style != DEPENDENCIES or origin.forms != sentence.forms:
        return sentence
    rows = [list(row) for row in sentence.rows]
    for row, gold in zip(rows, origin.rows):
        for column in GOLD:
            row[column] = gold[column]
    text = "".join("\t".join(row) + "\n" for row in rows) + "\n"
    return RoleSentence(text, sentence.style, sentence.path, sentence.line)
