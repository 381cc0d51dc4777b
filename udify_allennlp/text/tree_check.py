"""The check that a column of HEAD values is a tree with one root."""

import re
from collections.abc import Sequence
from typing import NamedTuple, Optional

_NUMBER = re.compile("0|[1-9][0-9]*")
# Heads as they nearly always are: to look one up takes a third of the time of reading it.
_USUAL = {str(number): number for number in range(1000)}


class TreeFault(NamedTuple):
    """The error in a tree, the word (1..n) with it, and the remedy."""

    word: int
    what: str
    remedy: str


def head_number(head: str, words: int) -> Optional[int]:
    """Returns a value of HEAD as a number; `None` if it is not one from 0 to `words`."""
    # int() alone would also take "+1", "1_0", " 1" and the digits of other scripts, and refuse more
    # than 4300 digits.
    if not _NUMBER.fullmatch(head) or len(head) > len(str(words)) or int(head) > words:
        return None
    return int(head)


def tree_fault(heads: Sequence[str], deprels: Sequence[str]) -> Optional[TreeFault]:
    """
    Returns the first error in the tree over words 1..n, or `None`. A tree has one word with head 0
    (UD guidelines), every other word is below it, and each arc has a relation. The relation of the
    root is not checked: some treebanks subtype it.
    """
    n = len(heads)
    parents: list[int] = []
    root = 0
    for word, (head, deprel) in enumerate(zip(heads, deprels), start=1):
        parent = _USUAL.get(head)
        if parent is None or parent > n:
            if not _NUMBER.fullmatch(head):
                remedy = "Every word of an annotated sentence needs a head."
                what = f"word {word} has head {head[:40]!r}, which is not a number"
                return TreeFault(word, what, remedy)
            parent = head_number(head, n)
        if parent is None:
            what = f"word {word} has head {head:.40}, outside 0..{n}"
            return TreeFault(word, what, "Correct HEAD.")
        if parent == word:
            return TreeFault(word, f"word {word} is its own head", "Correct HEAD.")
        if parent == 0 and root:
            what = f"word {word} is a second root in addition to word {root}"
            return TreeFault(word, what, "Keep only one word with head 0.")
        if not deprel or deprel == "_":
            return TreeFault(word, f"word {word} has no deprel", "Fill in DEPREL.")
        if parent == 0:
            root = word
        parents.append(parent)
    if not root:
        return TreeFault(1, "no word of the sentence is the root", "Set the head of one word to 0.")
    return _cycle(parents)


def _cycle(parents: Sequence[int]) -> Optional[TreeFault]:
    """
    Returns the first cycle on the way up from words 1, 2, ...; each word is visited once: O(n).
    """
    # climb[w] is the word whose climb first passed through w; 0 (ROOT) is always reached.
    climb = [0] + [-1] * len(parents)
    for start in range(1, len(parents) + 1):
        word = start
        while climb[word] == -1:
            climb[word] = start
            word = parents[word - 1]
        if word and climb[word] == start:
            cycle = [word]
            while parents[cycle[-1] - 1] != word:
                cycle.append(parents[cycle[-1] - 1])
            low = min(cycle)
            at = cycle.index(low)
            path = " -> ".join(map(str, cycle[at:] + cycle[:at] + [low]))
            return TreeFault(low, f"heads form a cycle: {path}", "Correct HEAD.")
    return None
