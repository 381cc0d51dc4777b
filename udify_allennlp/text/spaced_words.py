"""
Persian words whose parts are written with spaces: `می خواهم`, `کتاب های`, `بزرگ تر`. Treebanks have
one word, with a non-joiner between the parts (`می‌خواهم`), and models see them so. Of the parts that
were written, the first becomes this word, and the others depend on it as `goeswith`, the relation
of Universal Dependencies for parts of words that are written apart.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate

from udify_allennlp.text.sentence import COLUMNS, Columns, Sentence

LANGUAGES = frozenset(["fa"])
NON_JOINER = "\u200c"
_PREFIXES = ("می", "نمی")
_VERB_ENDINGS = ("یم", "ید", "ند", "م", "ی", "د", "ه")
_SUFFIXES = frozenset(["ها", "های", "هایی", "هایم", "هایت", "هایش", "هایمان", "هایتان", "هایشان"])
_SUFFIXES |= {"تر", "ترین"}
_MOST = 3
"""Maximum number of parts of a word, which bounds the time for each."""
_FORM, _HEAD = COLUMNS["form"], COLUMNS["head"]
_OF_PARTS = {"upos": "X", "deprels": "goeswith"}
"""The columns of parts but the first; others are empty, but MISC, which stays."""


class SpacedWords:
    """
    Joins and parts these words.

    # Parameters

    forms : `Collection[str]`
        The known words of the language.
    is_adjective : `Callable[[str], bool]`
        Returns whether one of them may be an adjective.
    """

    def __init__(self, forms: Collection[str], is_adjective: Callable[[str], bool]) -> None:
        self._is_adjective = is_adjective
        self._stems = {
            _stem(form.removeprefix(prefix + NON_JOINER))
            for form in forms
            for prefix in _PREFIXES
            if form.startswith(prefix + NON_JOINER)
        }

    def joined(self, sentence: Sentence) -> Sentence:
        """
        Returns a sentence with each of these words as one, in the row of its first part; itself if
        it has none, or has empty nodes. Parts of multiword tokens are not joined.
        """
        forms = sentence.forms
        parts: set[int] = set()
        for place, pair in enumerate(zip(forms, forms[1:]), 2):
            is_full = parts.issuperset(range(place - _MOST + 1, place))
            if not is_full and self._are_joined(*pair):
                parts.add(place)
        return _joined(sentence, parts) if parts else sentence

    def _are_joined(self, first: str, second: str) -> bool:
        if not second.isalpha():
            return False
        if first in _PREFIXES:
            return _stem(second) in self._stems
        if second not in _SUFFIXES or not first.replace(NON_JOINER, "").isalpha():
            return False
        # `تر` is `wet`, too.
        return second != "تر" or self._is_adjective(first)


def part(columns: Columns, written: Sentence, seen: Sentence) -> None:
    """
    Changes the predicted `columns` of a sentence as it was `seen`, in place, to those of the words
    that were `written`.
    """
    counts = [*_counts(written.forms, seen.forms)]
    misc = written.misc
    # The number of the word that each seen one is, from 1; and 0 for the root.
    numbers = [0, *(1 + before for before in accumulate(counts[:-1], initial=0))]
    for name, values in columns.items():
        if name == "heads":
            values = [str(numbers[int(head)]) for head in values]
        found: list[str] = []
        for number, value, count in zip(numbers[1:], values, counts):
            other = str(number) if name == "heads" else _OF_PARTS.get(name, "_")
            others = [other] * (count - 1)
            found += [value, *(misc[number : number + count - 1] if name == "misc" else others)]
        columns[name] = found


def _stem(verb: str) -> str:
    return next((verb.removesuffix(end) for end in _VERB_ENDINGS if verb.endswith(end)), verb)


def _counts(written: Sequence[str], seen: Sequence[str]) -> Iterator[int]:
    """Yields of how many written words each seen one consists."""
    start = 0
    for form in seen:
        end = start + 1
        while NON_JOINER.join(written[start:end]) != form:
            end += 1
        yield end - start
        start = end


def _joined(sentence: Sentence, parts: Collection[int]) -> Sentence:
    """Returns a sentence whose words of the numbers `parts` are joined with those before them."""
    rows = [row.split("\t") for row in sentence.text.split("\n")]
    ids = [cells[0] for cells in rows if cells[0][:1].isdigit()]
    if any("." in each for each in ids):
        return sentence
    ranges = [each.split("-") for each in ids if "-" in each]
    inside = {word for first, last in ranges for word in range(int(first), int(last) + 1)}
    number, numbers = 0, {"0": "0"}
    for word in range(1, len(sentence) + 1):
        number += word not in parts or bool(inside & {word - 1, word})
        numbers[str(word)] = str(number)
    kept: list[list[str]] = []
    for cells in rows:
        if cells[0][:1].isdigit():
            cells[0] = "-".join(numbers[word] for word in cells[0].split("-"))
            cells[_HEAD] = numbers.get(cells[_HEAD], cells[_HEAD])
            if kept and kept[-1][0] == cells[0]:
                kept[-1][_FORM] += NON_JOINER + cells[_FORM]
                continue
        kept.append(cells)
    return Sentence("\n".join(map("\t".join, kept)), sentence.path, sentence.line)
