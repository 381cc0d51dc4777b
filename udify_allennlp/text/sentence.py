"""
One sentence of a CoNLL-U file (https://universaldependencies.org/format.html), kept unchanged;
columns are extracted on demand.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Optional, TypeVar

from conllu.parser import DEFAULT_FIELDS

from udify_allennlp.text.block_check import RAW_TEXT, BlockFault, count_words
from udify_allennlp.text.errors import ConlluError

BOM = "\ufeff"
NO_CELL = re.compile(r"[\t\n\r\ud800-\udfff]|^$")
"""A pattern for characters that no cell of CoNLL-U can hold."""
COLUMNS = {name: index for index, name in enumerate(DEFAULT_FIELDS)}
REPLACEABLE = {
    "lemmas": COLUMNS["lemma"],
    "upos": COLUMNS["upos"],
    "xpos": COLUMNS["xpos"],
    "feats": COLUMNS["feats"],
    "heads": COLUMNS["head"],
    "deprels": COLUMNS["deprel"],
    "misc": COLUMNS["misc"],
}

_RAW_TEXT_NAMES = (".txt", ".text", ".md", ".txt.gz", ".txt.xz")

_T = TypeVar("_T")
Columns = dict[str, list[str]]
"""New values for columns of one sentence, in the form of `Sentence.replace`."""


def with_tags(sentences: Iterable["Sentence"], columns: Iterable[Columns]) -> Iterator["Sentence"]:
    """Yields sentences with the UPOS and features that new columns have for them, if any."""
    for sentence, own in zip(sentences, columns):
        tags = {name: own[name] for name in ("upos", "feats") if name in own}
        yield sentence.replace(**tags) if tags else sentence


def with_trees(sentences: Iterable["Sentence"], columns: Iterable[Columns]) -> Iterator["Sentence"]:
    """Yields sentences with the trees of new columns."""
    for sentence, own in zip(sentences, columns):
        yield sentence.replace(heads=own["heads"], deprels=own["deprels"])


def half_character(text: str) -> Optional[int]:
    """Returns the position of half a character (a lone surrogate), which UTF-8 cannot hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None


def fault(path: str, line: int, what: str, remedy: str) -> ConlluError:
    """Returns the error for line `line`, from 1, of `path`."""
    return ConlluError(f"{path}:{line}: {what}. {remedy}")


class Sentence:
    """
    One block of a CoNLL-U file: comments, words, multiword ranges, empty nodes, blank lines.

    # Parameters

    text : `str`
        The block as in the file, with its line ends and the blank line(s) after it.
    path : `str`
        Its origin, for messages.
    line : `int`
        Line of the file at which `text` starts, from 1.

    # Raises

    `ConlluError` if the block is not CoNLL-U. Values of UPOS to DEPREL are not checked here: see
    `check_tree` for HEAD and DEPREL.
    """

    # Treebanks are held in memory by the million words: one string a sentence, no word objects.
    __slots__ = ("path", "line", "text", "_length")

    def __init__(self, text: str, path: str = "<text>", line: int = 1) -> None:
        self.text = text
        self.path = path
        self.line = line
        self._length = _count_words(text, path, line)

    @classmethod
    def from_words(
        cls,
        words: Sequence[str],
        path: str = "<words>",
        line: int = 1,
        misc: Optional[Sequence[str]] = None,
    ) -> "Sentence":
        """
        Returns a sentence without annotation: FORM and, if given, MISC; `_` in every other column.
        Raises `ValueError` without words, and for a value that a cell cannot hold.
        """
        misc = ["_"] * len(words) if misc is None else misc
        _check_values("words", words, len(words))
        _check_values("misc", misc, len(words))
        if not len(words):
            raise ValueError("the sentence has no words. Remove it.")
        blanks = "\t_" * 7
        rows = [f"{i}\t{word}{blanks}\t{m}\n" for i, (word, m) in enumerate(zip(words, misc), 1)]
        return cls("".join(rows) + "\n", path, line)

    def replace(self, **columns: Sequence[str]) -> "Sentence":
        """
        Returns the sentence with new values for its words in the given columns (`lemmas`, `upos`,
        `xpos`, `feats`, `heads`, `deprels`, `misc`). Every other byte is unchanged, including
        enhanced DEPS, which may disagree with new heads. Raises `ValueError` for an unknown column,
        a wrong number of values, and a value that a cell cannot hold.
        """
        for name, values in columns.items():
            if name not in REPLACEABLE:
                raise ValueError(f"no column {name!r} to replace. Use {', '.join(REPLACEABLE)}.")
            _check_values(name, values, len(self))
        new_values = [(REPLACEABLE[name], values) for name, values in columns.items()]
        bom = BOM if self.text.startswith(BOM) else ""
        lines = self.text.removeprefix(BOM).split("\n")
        word = 0
        for index, row in enumerate(lines):
            cells = row.removesuffix("\r").split("\t")
            if cells[0].isdigit():
                for column, values in new_values:
                    cells[column] = values[word]
                lines[index] = "\t".join(cells) + ("\r" if row.endswith("\r") else "")
                word += 1
        # Not checked again: the rows are those of this sentence, and the new cells are checked.
        sentence = Sentence.__new__(Sentence)
        sentence.text, sentence.path, sentence.line = bom + "\n".join(lines), self.path, self.line
        sentence._length = self._length
        return sentence

    def line_of(self, word: int) -> int:
        """Returns the line of `word` (1..n) in the file."""
        rows = enumerate(_lines(self.text), start=self.line)
        return next(number for number, row in rows if row.startswith(f"{word}\t"))

    def __len__(self) -> int:
        """Returns the number of words: multiword ranges and empty nodes do not count."""
        return self._length

    def __repr__(self) -> str:
        return f"<Sentence of {len(self)} words at {self.path}:{self.line}>"

    @property
    def comments(self) -> list[str]:
        """The comment lines, from their `#` to the end of the line."""
        return [row for row in _lines(self.text) if row.startswith("#")]

    @property
    def forms(self) -> list[str]:
        return self._column("form")

    @property
    def lemmas(self) -> list[str]:
        return self._column("lemma")

    @property
    def upos(self) -> list[str]:
        return self._column("upos")

    @property
    def xpos(self) -> list[str]:
        return self._column("xpos")

    @property
    def feats(self) -> list[str]:
        return self._column("feats")

    @property
    def heads(self) -> list[str]:
        return self._column("head")

    @property
    def deprels(self) -> list[str]:
        return self._column("deprel")

    @property
    def misc(self) -> list[str]:
        return self._column("misc")

    def _column(self, name: str) -> list[str]:
        index = COLUMNS[name]
        return [cells[index] for cells in _word_cells(self.text)]


def by_sentence(values: Iterable[_T], sentences: Sequence[Sentence]) -> Iterator[list[_T]]:
    """Yields the values of each sentence, given those of all words, sentence after sentence."""
    remaining = iter(values)
    return (list(islice(remaining, len(sentence))) for sentence in sentences)


def tree_columns(
    heads: Iterable[int], deprels: Iterable[str], sentences: Sequence[Sentence]
) -> list[Columns]:
    """Returns the columns HEAD and DEPREL of sentences, given those of all words."""
    parts = zip(by_sentence(map(str, heads), sentences), by_sentence(deprels, sentences))
    return [{"heads": head_cells, "deprels": deprel_cells} for head_cells, deprel_cells in parts]


def _check_values(name: str, values: Sequence[str], length: int) -> None:
    if isinstance(values, str):
        raise ValueError(f"{name} is one string. Use a list with one string for each word.")
    if len(values) != length:
        raise ValueError(f"{name} has {len(values)} values for {length} words. Use one for each.")
    if _are_cells(values):
        return
    for word, value in enumerate(values, start=1):
        if not isinstance(value, str) or not value:
            raise ValueError(f"{name}: word {word} has {value!r}. Use a string; `_` means none.")
        if "\t" in value or "\n" in value or "\r" in value:
            raise ValueError(
                f"{name}: word {word} has {value!r}. Cells must not contain tabs or newlines."
            )
        if half_character(value) is not None:
            raise ValueError(
                f"{name}: word {word} has {value!r}, with half of a character, which UTF-8 cannot "
                "hold. Replace it."
            )


def _are_cells(values: Sequence[str]) -> bool:
    """Returns whether all values are cells, in a tenth of the time of looking at each."""
    if not all(values):
        return False
    try:
        text = "\t".join(values)
    except TypeError:
        return False
    has_break = "\n" in text or "\r" in text or text.count("\t") >= len(values)
    return not has_break and half_character(text) is None


def _lines(text: str) -> list[str]:
    # Not splitlines(): U+0085, U+2028 and the like are characters of a cell, not line ends.
    return text.removeprefix(BOM).replace("\r\n", "\n").split("\n")


# Readers ask one sentence for column after column, decoders a whole batch of them; that many keep
# this fast and memory small.
@lru_cache(maxsize=256)
def _word_cells(text: str) -> list[list[str]]:
    """
    Returns the ten cells of each word of a checked block, in which only words have a plain number
    as id.
    """
    rows = (row.split("\t") for row in _lines(text))
    return [cells for cells in rows if cells[0].isdigit()]


def _count_words(text: str, path: str, first_line: int) -> int:
    """
    Returns the number of words of one block. Raises `ConlluError` at the first line that is not
    CoNLL-U.
    """
    half = half_character(text)
    if half is not None:
        what = f"{text[half]!r} is half of a character, which UTF-8 cannot hold"
        raise fault(path, first_line + text.count("\n", 0, half), what, "Replace it.")
    words = count_words(_lines(text), first_line == 1)
    if isinstance(words, BlockFault):
        remedy = words.remedy
        if path.endswith(_RAW_TEXT_NAMES):
            remedy = remedy.replace(RAW_TEXT, "Parse raw text first, with `allennlp predict`.")
        raise fault(path, first_line + words.row, words.what, remedy)
    return words
