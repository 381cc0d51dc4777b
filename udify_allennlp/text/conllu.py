"""CoNLL-U files read and written byte for byte, and their names. For blocks, see `sentence.py`."""

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Optional, Union

from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.files import compression, open_compressed, whole_file
from udify_allennlp.text.input_kinds import is_bracketed
from udify_allennlp.text.line_reader import decoded_block, numbered
from udify_allennlp.text.sentence import BOM, Sentence, fault
from udify_allennlp.text.tree_check import tree_fault

__all__ = [
    "ConlluError",
    "Sentence",
    "check_tree",
    "distinct_names",
    "expand_paths",
    "read_sentences",
    "separate_block",
    "sentences_in",
    "treebank_language",
    "treebank_name",
    "treebank_names",
    "write_sentences",
]


def read_sentences(
    path: Union[str, "os.PathLike[str]"],
    on_error: Optional[Callable[[ConlluError], None]] = None,
) -> Iterator[Sentence]:
    """
    Yields the sentences of a UTF-8 file (plain, `.gz` or `.xz`), one at a time in constant memory.
    Their `text` joined is the file: a byte order mark, CRLF and extra blank lines are kept. Raises
    `ConlluError` for the first block that is not CoNLL-U; `on_error`, if given, is called with each
    such error instead, and reading continues after the block. Raises `OSError` if the file cannot
    be opened.

    Sentences of a file in columns of semantic roles become CoNLL-U, with roles in MISC; see
    `roles/files.py`. The same holds for a bracketed file (`.mrg`), with its trees in MISC; see
    `constituents/files.py`.
    """
    path = os.fspath(path)
    ending = os.path.splitext(path.removesuffix(compression(path)))[1]
    if ending.startswith(".conll") and ending != ".conllu":
        # Treebanks, nearly all that is read, have nothing to do with roles.
        from udify_allennlp.text.roles.files import holds_roles, read_roles

        if holds_roles(path):
            yield from (block.sentence() for block in read_roles(path, on_error))
            return
    elif is_bracketed(path):
        from udify_allennlp.text.constituents.files import read_trees

        for tree in read_trees(path, on_error):
            try:
                yield tree.sentence()
            except ConlluError as error:
                if on_error is None:
                    raise
                on_error(error)
        return
    with open_compressed(path) as file:
        yield from sentences_in(file, path, on_error)


def sentences_in(
    file: Iterable[bytes], path: str, on_error: Optional[Callable[[ConlluError], None]] = None
) -> Iterator[Sentence]:
    """Yields sentences like `read_sentences`, from an open file that messages call `path`."""
    for line, block in _blocks(file, path):
        try:
            sentence = Sentence(decoded_block(block, path, line), path, line)
        except ConlluError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield sentence


def _blocks(file: Iterable[bytes], path: str) -> Iterator[tuple[int, bytes]]:
    """
    Yields the first line and the bytes of each block; blank lines at the top belong to the first
    block.
    """
    block: list[bytes] = []
    first = 1
    has_rows = ended = False
    for number, raw in numbered(file, path):
        if raw == b"\n" or raw == b"\r\n":
            ended = has_rows
        else:
            if ended:
                yield first, b"".join(block)
                block, first, ended = [], number, False
            has_rows = True
        block.append(raw)
    if block:
        yield first, b"".join(block)


def write_sentences(sentences: Iterable[Sentence], path: Union[str, "os.PathLike[str]"]) -> None:
    """
    Writes the sentences unchanged (compressed for `.gz`, `.xz`), through `whole_file`. Between
    sentences of different files, a missing blank line is added and a byte order mark is removed, so
    that the result can be read again. A bracketed file (`.mrg`) receives the trees in MISC; a
    sentence without one raises a `ConlluError`.
    """
    if is_bracketed(os.fspath(path)):
        from udify_allennlp.text.constituents.files import write_trees

        write_trees(sentences, path)
        return
    with whole_file(path) as file:
        end = ""
        for index, sentence in enumerate(sentences):
            text = sentence.text.removeprefix(BOM) if index else sentence.text
            file.write((end + text).encode("utf-8"))
            end = missing_end(text)


def missing_end(text: str) -> str:
    """Returns the line ends that a block lacks before another block can follow it."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.endswith("\n"):
        return newline * 2
    return "" if text.endswith(("\n\n", "\n\r\n")) else newline


def separate_block(sentence: Sentence) -> str:
    """
    Returns CoNLL-U that another block can follow. A byte order mark is allowed only at the start of
    a file, and this may be the second one; the last block of a file may lack its blank line.
    """
    text = sentence.text.removeprefix(BOM)
    return text + missing_end(text)


def check_tree(sentence: Sentence) -> None:
    """
    Raises `ConlluError` at the first word that keeps HEAD and DEPREL from being a one-root tree.
    """
    tree_error = tree_fault(sentence.heads, sentence.deprels)
    if tree_error:
        raise fault(
            sentence.path, sentence.line_of(tree_error.word), tree_error.what, tree_error.remedy
        )


def treebank_name(path: Union[str, "os.PathLike[str]"]) -> str:
    """
    Returns `en_ewt` for `en_ewt-ud-train.conllu`, and for `en_ewt-um-dev.conllu` of SIGMORPHON; for
    another name, the part before its first `.`
    """
    name = os.path.basename(os.fspath(path))
    ud_name = re.match(r"(.+?)-(?:ud|um)-(?:covered-)?(?:train|dev|test)(?![A-Za-z0-9])", name)
    return ud_name.group(1) if ud_name else name.split(".")[0] or name


def treebank_language(treebank: str) -> str:
    """Returns `en` for the treebank `en_ewt`; a name of another form is returned unchanged."""
    return treebank.split("_")[0]


def treebank_names(paths: Sequence[str]) -> list[str]:
    """
    Returns the treebank of each file; if two belong to one, the names of the files, or their paths.
    """
    return distinct_names(paths, treebank_name)


def distinct_names(paths: Sequence[str], shortest: Callable[[str], str]) -> list[str]:
    """Returns a name for each file, `shortest` or longer, so that no two files have the same."""
    for name in (shortest, os.path.basename):
        names = [name(path) for path in paths]
        if len(set(names)) == len(names):
            return names
    return list(paths)


def expand_paths(paths: Union[str, Sequence[str]]) -> list[str]:
    """
    Returns the files named by a path, a glob (`**` matches subfolders), or a list of these, in the
    order given, each glob sorted, each file once. Raises `FileNotFoundError` if one of them matches
    no file.
    """
    files_named: dict[str, None] = {}
    for pattern in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        pattern = os.fspath(pattern)
        if os.path.exists(pattern) and not os.path.isdir(pattern):
            files = [pattern]  # also a name that happens to hold [ or *
        else:
            matches = glob.iglob(pattern, recursive=True)
            files = sorted(match for match in matches if not os.path.isdir(match))
        if not files and os.path.isdir(pattern):
            example = os.path.join(pattern, "*.conllu")
            raise FileNotFoundError(f"{pattern} is a folder. Name its files: {example}")
        if not files:
            raise FileNotFoundError(
                f"{pattern!r} matches no file (in {Path.cwd()}). Name a CoNLL-U file, or a glob "
                "such as ud/*/*-train.conllu."
            )
        files_named.update(dict.fromkeys(files))
    if not files_named:
        raise FileNotFoundError("the list of CoNLL-U files is empty. Name at least one file.")
    return list(files_named)
