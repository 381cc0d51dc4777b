"""
Phrase structure over the words of a sentence. Phrases are a flat list, not nested objects, so a
tree of any depth can be read, compared and written without recursion.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

TOP = "TOP"
ROOT_LABELS = ("", TOP, "ROOT", "S1", "VROOT")
"""
Labels of treebanks for the node above the whole sentence. We write `TOP`; EVALB's parameter file
`COLLINS.prm` excludes it from the scores.
"""
EMPTY_TAGS = ("-NONE-",)
"""Tags of empty nodes (traces and zeros) of the Penn Treebank, which are not words."""
_ESCAPES = {"(": "-LRB-", ")": "-RRB-", " ": "\u00a0"}
_WORDS = {"-LRB-": "(", "-RRB-": ")"}
_BLANK = re.compile(r"[ \t\r\n\f\v]")


class Phrase(NamedTuple):
    """A constituent: a label over the words from `start` to `end`, numbered from 1."""

    label: str
    start: int
    end: int


class PhraseTree(NamedTuple):
    """
    The phrase structure of a sentence.

    # Parameters

    words, tags : `Tuple[str, ...]`
        Each word and its part of speech, in their bracketed form: `-LRB-`, not `(`.
    phrases : `Tuple[Phrase, ...]`
        Every constituent above the tags in the order in which its bracket opens, so that a parent
        stands before its child even if both are over the same words.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    phrases: tuple[Phrase, ...]

    def without_empty(self, empty: Collection[str] = EMPTY_TAGS) -> "PhraseTree":
        """
        Returns the tree without the words whose tag is one of `empty`, and without phrases that
        have no words left, like EVALB's `DELETE_LABEL -NONE-`.
        """
        kept = [tag not in empty for tag in self.tags]
        return self if all(kept) else self.of_words(kept)

    def of_words(self, kept: Sequence[bool]) -> "PhraseTree":
        """Returns the tree of the words to keep, with the phrases that have one of them."""
        before = [0]
        for is_kept in kept:
            before.append(before[-1] + is_kept)
        phrases = (Phrase(p.label, before[p.start - 1] + 1, before[p.end]) for p in self.phrases)
        return PhraseTree(
            tuple(word for word, is_kept in zip(self.words, kept) if is_kept),
            tuple(tag for tag, is_kept in zip(self.tags, kept) if is_kept),
            tuple(phrase for phrase in phrases if phrase.start <= phrase.end),
        )

    def with_top(self) -> "PhraseTree":
        """Returns the tree below one `TOP`, which replaces its label of `ROOT_LABELS`."""
        whole = 1, len(self.words)
        below = self.phrases
        if below and below[0].label in ROOT_LABELS and below[0][1:] == whole:
            below = below[1:]
        return self._replace(phrases=(Phrase(TOP, *whole), *below))

    def brackets(self) -> str:
        """Returns the tree in one line, `(TOP (NP (DT The) (NN dog)))`, without a line end."""
        opened, closed = affixes(self.phrases, len(self.words))
        rows = zip(opened, self.tags, self.words, closed)
        words = (
            "".join(f"({escaped(label)} " for label in labels)
            + f"({escaped(tag)} {escaped(word)})"
            + ")" * count
            for labels, tag, word, count in rows
        )
        return " ".join(words)


def affixes(phrases: Iterable[Phrase], words: int) -> tuple[list[list[str]], list[int]]:
    """
    Returns for each word the labels of the phrases that begin with it, and the number of those that
    end with it.
    """
    opened: list[list[str]] = [[] for _ in range(words)]
    closed = [0] * words
    for label, start, end in phrases:
        opened[start - 1].append(label)
        closed[end - 1] += 1
    return opened, closed


def bare_label(label: str) -> str:
    """
    Returns a label without function tags and indices, as EVALB cuts them: `NP` of `NP-SBJ-1` and of
    `NP=2`.
    """
    return re.split("[-=]", label, maxsplit=1)[0]


def escaped(text: str) -> str:
    """
    Returns a word, tag or label in its bracketed form: `-LRB-` and `-RRB-` for brackets, as in the
    Penn Treebank; white space becomes a no-break space, which separates nothing.
    """
    text = text.replace("(", _ESCAPES["("]).replace(")", _ESCAPES[")"])
    return _BLANK.sub(_ESCAPES[" "], text)


def word_of(escaped_word: str) -> str:
    """Returns the word of a sentence: `(` for `-LRB-`."""
    return _WORDS.get(escaped_word, escaped_word)


def in_order(phrases: Sequence[Phrase]) -> list[Phrase]:
    """
    Returns nested phrases in the order of `PhraseTree.phrases`. Among phrases over the same words,
    the first is the parent.
    """
    return sorted(phrases, key=lambda phrase: (phrase.start, -phrase.end))
