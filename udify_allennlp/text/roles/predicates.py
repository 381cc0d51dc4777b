"""
Semantic roles: predicates, and their form in MISC of CoNLL-U, so that sentences carry their roles.
The predicate's word has `Pred=come.03`, and its arguments as `Args=A0:1-2,AM-TMP:5-5` (spans, first
and last word) and as `ArgHeads=A0:2` (words, dependency style).
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Optional
from urllib.parse import unquote

from udify_allennlp.text.sentence import Sentence, fault

PRED, SPANS, HEADS = "Pred", "Args", "ArgHeads"
"""Keys of MISC."""
VERB = "V"
"""The label of the span of the predicate itself, which is not a role."""
UNKNOWN = "_"
"""The roleset of an unknown predicate, as in the input of CoNLL 2009."""
_SPECIAL = re.compile(r"[%|=,:\s]")


class Argument(NamedTuple):
    """A role of a predicate, and its words: one word in dependency style."""

    label: str
    start: int
    """The first word, from 1 to n."""
    end: int
    """The last word."""


class Predicate(NamedTuple):
    """A word with semantic roles."""

    word: int
    lemma: str
    """The lemma, `come` of `come.03`; empty if unknown."""
    sense: str
    """The sense, `03`; empty if unknown."""
    spans: tuple[Argument, ...] = ()
    heads: tuple[Argument, ...] = ()

    @property
    def roleset(self) -> str:
        """The roleset, `come.03`; `_` if even the lemma is unknown."""
        return f"{self.lemma}.{self.sense}" if self.sense else self.lemma or UNKNOWN


def split_roleset(roleset: str) -> tuple[str, str]:
    """
    Returns lemma and sense of `come.03`; without a sense after the last full stop, all of it is the
    lemma. For `_` both are empty.
    """
    if roleset == UNKNOWN:
        return "", ""
    lemma, _, sense = roleset.rpartition(".")
    return (lemma, sense) if lemma and sense else (roleset, "")


def predicates_of(sentence: Sentence) -> list[Predicate]:
    """
    Returns the predicates in MISC, in the order of their words.

    # Raises

    `ConlluError` with file and line for invalid arguments.
    """
    predicates = []
    for word, misc in enumerate(sentence.misc, start=1):
        if f"{PRED}=" not in misc:
            continue
        cells = dict(part.split("=", 1) for part in misc.split("|") if "=" in part)
        if PRED not in cells:
            continue
        spans, heads = (_arguments(cells.get(key, ""), len(sentence)) for key in (SPANS, HEADS))
        if spans is None or heads is None:
            what = f"word {word} has MISC {misc[:60]!r}, whose arguments cannot be read"
            remedy = f"Write {SPANS}=A0:1-2,A1:4-4 or {HEADS}=A0:2, with words of the sentence."
            raise fault(sentence.path, sentence.line_of(word), what, remedy)
        predicates.append(Predicate(word, *split_roleset(unquote(cells[PRED])), spans, heads))
    return predicates


def with_predicates(misc: Sequence[str], predicates: Iterable[Predicate]) -> list[str]:
    """Returns MISC of a sentence with these predicates instead of its own."""
    of_word = {predicate.word: predicate for predicate in predicates}
    return [_misc(cell, of_word.get(word)) for word, cell in enumerate(misc, start=1)]


def _misc(cell: str, predicate: Optional[Predicate]) -> str:
    kept = [
        part
        for part in ([] if cell == "_" else cell.split("|"))
        if part.partition("=")[0] not in (PRED, SPANS, HEADS)
    ]
    if predicate is not None:
        kept.append(f"{PRED}={quoted(predicate.roleset)}")
        spans = [f"{quoted(a.label)}:{a.start}-{a.end}" for a in predicate.spans]
        heads = [f"{quoted(a.label)}:{a.start}" for a in predicate.heads]
        kept += [f"{key}={','.join(of)}" for key, of in ((SPANS, spans), (HEADS, heads)) if of]
    return "|".join(kept) or "_"


def _arguments(text: str, words: int) -> Optional[tuple[Argument, ...]]:
    """Returns the arguments, or `None` if they cannot be read."""
    arguments = []
    for part in text.split(",") if text else []:
        match = re.fullmatch(r"([^:]+):([0-9]{1,9})(?:-([0-9]{1,9}))?", part)
        if match is None:
            return None
        start, end = int(match[2]), int(match[3] or match[2])
        if not 1 <= start <= end <= words:
            return None
        arguments.append(Argument(unquote(match[1]), start, end))
    return tuple(arguments)


def quoted(text: str) -> str:
    """Returns the text without the characters that separate parts of MISC."""
    return _SPECIAL.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8")), text
    )
