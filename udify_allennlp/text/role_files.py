"""Files of semantic roles, read and written byte for byte; see `role_columns.py`."""

import os
from contextlib import suppress
from typing import Callable, Iterable, Iterator, List, Optional, Tuple, Union

from udify_allennlp.text.files import DAMAGED, compression, open_compressed, whole_file
from udify_allennlp.text.lines import decoded, numbered
from udify_allennlp.text.role_columns import (
    BLANK,
    STYLES,
    RoleSentence,
    role_sentence,
    split_row,
    style_of,
)
from udify_allennlp.text.sentence import ConlluError, Sentence

_ENDINGS = (".conll", *(f".{style}" for style in STYLES))
_BLANK = BLANK.encode()


def read_roles(
    path: Union[str, "os.PathLike[str]"],
    on_error: Optional[Callable[[ConlluError], None]] = None,
) -> Iterator[RoleSentence]:
    """
    The sentences of a UTF-8 file (plain, `.gz` or `.xz`), whose first word says which format it is
    in. Their `text` joined is the file, but for blank lines at its top. `ConlluError` for the first
    that is not right; with `on_error`, it is called with each such error, and reading goes on.
    """
    path = os.fspath(path)
    style: Optional[str] = None
    for line, block in _blocks(path):
        try:
            text = decoded(block, path, line)
            style = style or style_of(text)
            yield RoleSentence(text, style, path, line)
        except ConlluError as error:
            if on_error is None:
                raise
            on_error(error)


def holds_roles(path: Union[str, "os.PathLike[str]"]) -> bool:
    """
    Whether a file is in such columns: its name ends in `.conll`, `.conll05` or `.conll09`, perhaps
    with `.gz` or `.xz` behind it, and it does not begin as CoNLL-U does.
    """
    name = os.path.basename(os.fspath(path)).removesuffix(compression(path))
    if os.path.splitext(name)[1] not in _ENDINGS or not os.path.isfile(path):
        return False
    with suppress(*DAMAGED), open_compressed(path) as file:
        for raw in file:
            if raw.strip(_BLANK):
                cells = split_row(raw.decode("utf-8", "replace").rstrip("\r\n"))
                is_conllu = len(cells) == 10 and cells[0][:1] == "1" and "*" not in cells[6]
                return not is_conllu and raw[:1] != b"#"
    return False


def style_of_name(path: Union[str, "os.PathLike[str]"]) -> Optional[str]:
    """The format that a name in `.conll05` or `.conll09` asks for, perhaps compressed."""
    name = os.path.basename(os.fspath(path)).removesuffix(compression(path))
    ending = os.path.splitext(name)[1][1:]
    return ending if ending in STYLES else None


def write_roles(
    sentences: Iterable[Sentence], path: Union[str, "os.PathLike[str]"], style: str
) -> None:
    """Write the roles of sentences in columns, as `whole_file` does."""
    with whole_file(path) as file:
        for sentence in sentences:
            file.write(role_sentence(sentence, style).text.encode("utf-8"))


def _blocks(path: str) -> Iterator[Tuple[int, bytes]]:
    """First line and bytes of each block, with the blank lines behind it."""
    block: List[bytes] = []
    first, ended = 1, False
    with open_compressed(path) as file:
        for number, raw in numbered(file, path):
            if raw.strip(_BLANK):
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
