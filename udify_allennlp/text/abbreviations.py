"""
Periods of abbreviations, and tests whether a sentence continues after them. sentencex knows
abbreviations of many languages, but not which may also end a sentence (`etc.`), nor which are also
plain words (Swedish `det`, English `me`). So the following text decides, and abbreviations before
names are listed (`abbreviation_lists.py`).
"""

import functools
import re
from collections.abc import Callable, Iterator
from typing import Optional

from udify_allennlp.text.abbreviation_lists import (
    ANYWHERE,
    BEFORE_NAMES,
    COUNTS,
    INSIDE,
    PLAIN,
    listed,
)
from udify_allennlp.text.closing_abbreviations import closing_ends, closing_words
from udify_allennlp.text.scripts import MARKS
from udify_allennlp.text.sentence_openers import letter_ends, openers

ORDINALS = frozenset(
    ["da", "de", "et", "eu", "fi", "fo", "hr", "hu", "is", "lt", "lv", "nb", "nn", "no", "sl", "sr"]
)
"""`2.` means second if the sentence continues."""
_ROMAN_ORDINALS = frozenset(["de", "eu", "hu"])
"""The same for `XIX.`, also before names: Hungarian `II. János Pál`."""
_ROMAN = re.compile("[IVX]|[IVXLCDM]{2,9}")
_VOWEL = re.compile(
    "[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýāăąēęěīıōőœūůűάέήίαεηιουωόύώаеёиоуыэюяєії]", re.IGNORECASE
)
_START = rf"(?<![\w.'’&{MARKS}-])"
_PART = rf"(?:[^\W_]|[{MARKS}]){{1,20}}"
_BEFORE = re.compile(rf"(?:{_START}|(?<=[lL]['’]))({_PART}(?:\.{_PART}){{0,8}})\.\Z")
_BEHIND = re.compile(r"[^\S\n]{1,9}(?P<sign>[\"'„“”«»‘(\[§№#]?\s?)(?P<word>[^\W_]{1,20})")
_NUMBER = re.compile(r"[^\S\n]{1,9}[(\[§№#]?\s?\d")
_INITIAL = re.compile(r"[^\S\n]{1,9}(?=[^\W\d_]\.[^\S\n-]?-?[^\W_])")
_SYLLABLES = r"[\u0904-\u0963\u0970-\u0dff]{1,4}"
_LETTERS = rf"{_START}(?:(?:([^\W\d_])\1?|{_SYLLABLES})\.-?){{2,8}}(?<=\.)(?![\w{MARKS}-])"
_GERMAN_DEGREE = r"\bDipl\.-[A-Z][a-z]{1,9}\."
_DEGREES = r"\b(?:(?:Ph|Ed|Th|Psy|Pharm|Eng)\.D|(?:[BM]|LL)\.(?:Sc|Ed|Phil|Eng|B|M))\."
LETTERS = re.compile(
    rf"{_LETTERS}|{_DEGREES}|{_GERMAN_DEGREE}|\b(?:[Ss]ig|[Dd]ott|[Pp]rof|[Dd]r)\.(?:na|ra|re|ri|ssa)\b"
)
"""
Letters, each followed by a period: `U.S.`, `J.-M.`, `EE.UU.`, Tamil `மு.க.`; `Ph.D.`; Italian
`sig.ra`.
"""
_INITIALS = re.compile(rf"(?:{_LETTERS}|(?<![^\s(\[{{\"'„“«»‘‚–—])[^\W\d_]\.)\Z")
_PLAIN_END = re.compile(rf"{_START}([^\W\d_]{{2,8}})\.(?= ([^\W\d_]))")
_TITLE = re.compile(rf"{_GERMAN_DEGREE}\Z")
_STREETS = ("de", "nl")
_NO_INITIALS = frozenset(["a.c", "a.d", "a.m", "b.c", "d.c", "e.u", "j.-c", "p.m", "u.k", "u.s"])
_NUMERALS = frozenset("IVX")
_LONGEST = 200
"""Maximum number of characters that `_BEFORE` can match, plus one."""

IsAbbreviation = Callable[[str], bool]


@functools.lru_cache(maxsize=64)
def abbreviations(lang: Optional[str]) -> IsAbbreviation:
    """
    Returns the test for words, other than numbers, that include a final period in a language
    (`None`: English).
    """
    from sentencex import get_sentence_boundaries

    known = _before_names(lang) | listed(INSIDE, lang) | closing_words(lang)
    plain = listed(PLAIN, lang)

    @functools.lru_cache(10_000)
    def is_abbreviation(word: str) -> bool:
        if word.lower() in plain:
            return False
        text = f"A {word}. {word.capitalize()} b"
        is_known = len(list(get_sentence_boundaries(lang or "en", text))) == 1
        return is_known or word.lower() in known or word in known

    return is_abbreviation


@functools.lru_cache(maxsize=64)
def goes_on(lang: Optional[str]) -> Callable[[str, int], bool]:
    """
    Returns the test for a sentence that continues after the first `end` characters of a text, whose
    last is a period, because that is part of an abbreviation, an initial or an ordinal number:

    - of an abbreviation that precedes names (`Mrs. Smith`) or has no vowel (`Blvd.`);
    - of an initial before another or before a surname (`J. R. Smith`, `J.-P. Smith`);
    - of an abbreviation, or of letters that each have a period (`e.g.`), before a lower-case letter
      or a number on the same line.
    """
    is_abbreviation = abbreviations(lang)
    before_names = _before_names(lang)
    inside = listed(INSIDE, lang) | closing_words(lang)
    opening = openers(lang)
    # Where sentencex ends no sentence at a period, as in Armenian, it says nothing of a word.
    knows_periods = not is_abbreviation("ababab")

    def sentence_goes_on(text: str, end: int) -> bool:
        near = text[max(0, end - _LONGEST) : end]
        before, behind = _BEFORE.search(near), _BEHIND.match(text, end)
        ends = (rule(text, lang, end - 1, end) for rule in (closing_ends, letter_ends))
        if not behind or any(map(list, ends)):
            return False
        following = behind["word"]
        opens = following in opening and text[behind.end() : behind.end() + 1] != "."
        initials = _INITIALS.search(near)
        if initials and not behind["sign"] and _are_initials(initials, behind, opens):
            return True
        if _TITLE.search(near) and not opens:
            return True
        if not before:
            return False
        word = before[1]
        if word.endswith("str") and lang in _STREETS and not opens:
            return True
        is_unit = near[: before.start()].rstrip()[-1:].isdecimal()
        is_title = word.lower() in before_names and not _is_shout(word, following)
        if is_title or word in before_names:
            is_end = is_unit and following[0].isupper() and word.lower() not in COUNTS
            is_end &= not _INITIAL.match(text, end)
            if not is_end and not (opens and (is_unit or word.islower())):
                return True
        if word.isdecimal():
            is_month = following in inside and text[behind.end() : behind.end() + 1] == "."
            continues = following[0].islower() or is_month
            return lang in ORDINALS and continues and not behind["sign"]
        if is_roman_ordinal(word, lang):
            return not opens and not behind["sign"]
        is_known = not inside.isdisjoint([word, word.lower()]) or word.lower() in before_names
        is_known |= knows_periods and is_abbreviation(word)
        if is_known and (_NUMBER.match(text, end) or _INITIAL.match(text, end)):
            return True
        if behind["sign"] or not is_known:
            return False
        # `5 km.` is as good an end.
        return following[0].islower() or (not is_unit and _is_consonants(word))

    return sentence_goes_on


def is_roman_ordinal(word: str, lang: Optional[str]) -> bool:
    """Returns whether a word with a period is an ordinal number in Roman digits in a language."""
    return lang in _ROMAN_ORDINALS and _ROMAN.fullmatch(word) is not None


def plain_ends(text: str, lang: Optional[str]) -> Iterator[int]:
    """
    Yields the ends of sentences in a language (`None`: English) after plain words that sentencex
    takes for abbreviations, before a capital.
    """
    for match in _PLAIN_END.finditer(text):
        if match[1].lower() in listed(PLAIN, lang) and match[2].isupper():
            yield match.end(1) + 1


def _is_consonants(word: str) -> bool:
    return len(word) > 1 and word[1:].islower() and not _VOWEL.search(word)


def _is_shout(word: str, following: str) -> bool:
    """Returns whether a word, but not the following one, is in capitals (`MT.`)"""
    return len(word) > 1 and word.isupper() and not following.isupper()


def _are_initials(initials: re.Match[str], behind: re.Match[str], opens: bool) -> bool:
    """
    Returns whether letters, each followed by a period, are part of a name, or of an abbreviation
    that does not end the sentence before a word `behind`. `opens`: that word opens sentences.
    """
    letters, following = initials[0][:-1], behind["word"]
    before = initials.string[: initials.start()].rstrip()
    is_name = following[:1].isupper() and following[1:].islower() and not opens
    if "." not in letters:
        if before[-1:].isdecimal() or before[-1:] == "°":
            return False
        if _INITIAL.match(behind.string, behind.start()):
            return True
        is_numeral = letters in _NUMERALS and not before.rpartition(" ")[2][:1].isupper()
        return letters.isupper() and is_name and not is_numeral
    if following[0].islower() or following[0].isdecimal():
        return True
    has_case = letters.lower() != letters.upper()
    if not has_case:
        return True
    is_pair = letters.count(".") == 1 and letters.lower() not in _NO_INITIALS
    return letters.isupper() and is_pair and is_name


def _before_names(lang: Optional[str]) -> frozenset[str]:
    return ANYWHERE | listed(BEFORE_NAMES, lang)
