"""
A twin of EVALB (Sekine and Collins; in the public domain) with `COLLINS.prm`: one line of each of
two files, letter by letter and bracket by bracket, as the program goes through them.
"""

from typing import NamedTuple, Optional

DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
SAME = {("ADVP", "PRT"), ("PRT", "ADVP")}


class Line(NamedTuple):
    """A sentence of the program's output; `None` in its place is an error or a skip."""

    match: int
    gold: int
    test: int
    words: int
    tags: int


def evalb(gold: str, test: str, labelled: bool = True) -> Optional[Line]:
    """The counts of a sentence."""
    terminals, brackets = _read(gold)
    their_terminals, their_brackets = _read(test)
    if not their_terminals or len(terminals) != len(their_terminals):
        return None
    if any(a[1] != b[1] for a, b in zip(terminals, their_terminals)):
        return None
    ours, theirs = _massaged(brackets), _massaged(their_brackets)
    taken = [False] * len(theirs)
    match = 0
    for start, end, label in ours:
        for place, (their_start, their_end, their_label) in enumerate(theirs):
            same_words = (start, end) == (their_start, their_end)
            if not taken[place] and same_words and (not labelled or _equal(label, their_label)):
                taken[place] = True
                match += 1
                break
    tags = sum(_equal(a[0], b[0]) for a, b in zip(terminals, their_terminals))
    return Line(match, len(ours), len(theirs), len(terminals), tags)


def _read(line: str) -> tuple[list[list[str]], list[list]]:
    """Tag and word of each terminal that counts; start, end and label of each bracket."""
    terminals: list[list[str]] = []
    brackets: list[list] = []
    open_: list[int] = []
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
        elif line[place] == ")":
            brackets[open_.pop()][1] = len(terminals)
            place += 1
        else:
            assert line[place] == "("
            label, place = _token(line, place + 1)
            behind = place
            while line[behind].isspace():
                behind += 1
            word, behind = _token(line, behind)
            if word and line[behind] == ")":
                if label not in DELETED:
                    terminals.append([label, word])
                place = behind + 1
                continue
            open_.append(len(brackets))
            brackets.append([len(terminals), -1, label])
    return terminals, brackets


def _token(line: str, place: int) -> tuple[str, int]:
    start = place
    while not line[place].isspace() and line[place] not in "()":
        place += 1
    return line[start:place], place


def _massaged(brackets: list[list]) -> list[list]:
    kept = []
    for start, end, label in brackets:
        for sign in "-=":
            label = label[: label.index(sign)] if sign in label else label
        if start != end and not any(_equal(label, deleted) for deleted in DELETED):
            kept.append([start, end, label])
    return kept


def _equal(one: str, other: str) -> bool:
    return one == other or (one, other) in SAME
