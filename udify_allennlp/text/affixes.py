"""
Multiword tokens with Hebrew prefixes or Indonesian suffixes, if the words of training leave no
doubt: 989 of 995 such tokens, which training lacks, are split into the same words in treebanks.
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


def word_spans(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """
    Yields the start and the end of the words, without apostrophes, in a part of a text, in order:
    `start < end <= stop`.
    """
    for match in ending_in(_WORD, text, start, stop, _LONGEST, 3):
        yield match.span()
