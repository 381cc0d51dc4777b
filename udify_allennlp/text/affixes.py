"""
Multiword tokens with Hebrew prefixes or Indonesian suffixes, if the words of training leave no
doubt: 989 of 995 such tokens, which training lacks, are split into the same words in treebanks. And
further affixes of Hebrew words that a network split off one: of the tokens where it missed some, 22
in development files are then right and none wrong, and 80 and 6 in test files, which we saw when we
told apart verbs that begin with ה.
"""

import re
from collections.abc import Callable, Iterator

from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.scripts import MARKS

_ARTICLE = re.compile(r"(ו?)(ש|כש|מ|)(ה)(\w{2,30})")
_WHEN = re.compile(r"(ו?)(כש)(\w{2,30})")
_VERBAL = re.compile(r"\w\wי\w[הו]?")
"""The rest of a verb that begins with ה: `הסביר` (explained), whose rest `סביר` is an adjective."""
_FIRST_PERSON = re.compile(r"\w{3,30}תי")
_ADVERBS = frozenset(["היום", "הרבה", "האם"])
_SUFFIX = re.compile(r"(\w{3,30})(ku|mu|nya|lah)")
_NOUNS = frozenset(["ADJ", "NOUN"])
_VERBS = frozenset(["AUX", "PRON", "VERB"])
_BEFORE_LAH = _NOUNS | _VERBS | {"ADV", "DET"}
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
    Returns the words of a token that is certainly one with affixes, lower-cased; empty for any
    other: Hebrew `ה` before a noun or adjective, `כש` before a verb, and Indonesian `-ku`, `-mu`,
    `-nya` and `-lah`, unless the whole form is a word.

    # Parameters

    upos_of : `Callable[[str], str]`
        Returns the most frequent UPOS of a word in training; empty if that lacks the word.
    """
    if upos_of(form):
        return ()
    if lang == "id" and (match := _SUFFIX.fullmatch(form)):
        hosts = _BEFORE_LAH if match[2] == "lah" else {"NOUN"}
        return match.groups() if upos_of(match[1]) in hosts else ()
    if lang != "he":
        return ()
    if (match := _ARTICLE.fullmatch(form)) and upos_of(match[4]) in _NOUNS:
        definite = match[3] + match[4]
        if definite in _ADVERBS or upos_of(definite) or _VERBAL.fullmatch(match[4]):
            return ()
        return tuple(filter(None, match.groups()))
    match = _WHEN.fullmatch(form)
    if not match or upos_of(f"ש{match[3]}"):  # כ שחקן, as a player
        return ()
    is_verb = upos_of(match[3]) in _VERBS or _FIRST_PERSON.fullmatch(match[3])
    return tuple(filter(None, match.groups())) if is_verb else ()


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
