"""
Labels of tokens beside punctuation: where it is always a token, and the same on both sides of a
hyphen or within a run of dots.
"""

import re
from collections.abc import Callable

import numpy

from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.text.abbreviations import abbreviations
from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.sign_borders import sign_ends
from udify_allennlp.text.whole_tokens import whole_tokens
from udify_allennlp.text.word_rules import HYPHENS_PART

# From the first letter only: a search from each would take the square of a long word's length.
_HYPHENED = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:[-‐‑][^\W\d_]+)+")
_HYPHEN = re.compile("[-‐‑]")
_ALWAYS_CUT = frozenset(["cs", "de", "he", "hi", "hsb"])
"""
Languages whose treebanks cut at hyphens between letters, at 356 of 357 places. Czech ones have only
11: five are cut, the others are syllables of one slogan.
"""
_BOTH_SIDED = HYPHENS_PART | {"ar", "hy", "hyw", "ja", "ky", "pl", "th", "uz", "yue", "zh"}
_LEFT_OUT = frozenset(["br", "fr", "frm", "fro", "it", "krl", "lij", "mt", "oc", "pro", "ro", "tk"])
"""
Languages with words that begin or end with a hyphen, such as French `dit -il`, and Italian, whose
treebanks disagree.
"""
_PARTICLE = re.compile(
    r"(?<=[^\W\d_])-(?=(?:то|ка|нибудь|либо|таки)\b)|(?<=\d)-(?=[а-яёіў]{1,2}\b)"
    r"|(?<=\b[Кк]о[ей])-(?=[а-яё])|(?<=\bმე)-(?=\d)"
)
_WITH_PARTICLES = frozenset(["be", "ka", "ru", "uk"])
_SLASH = re.compile(r"(?:(?<=[^\W\d_])|(?<=[^\W\d_]\.))[/—](?=[^\W\d_])")
_SHORT_SLASH = re.compile(r"\b[^\W\d_]/[^\W\d_]\b")
_WITH = re.compile(r"\b[Ww]/o(?:ut)?\b|\bw/(?!\w\b)")
_SLASHES_WHOLE = frozenset(["da", "es", "et", "fi", "nl", "sv"])
"""Languages whose treebanks have `ja/tai` as one token; those of others cut it, most always."""
_SHORT_CUT = frozenset(["be", "pl", "ru", "sk", "sl", "uk"])
"""Languages whose treebanks cut `м/с`, too."""
_SLASHES_LEFT = frozenset(["gl", "lv", "pt"])
"""Languages with prepositions like `c/`, and Latvian, whose treebanks disagree."""
_RUN = re.compile(r"(?<!\.)\.{3}(?!\.)|[!?]{2,100}")
_DOTS_PART = frozenset(["cs", "mt", "pl", "qpm", "sl", "sq", "ug"])
"""Languages in which `...` are three words."""
_MARKS_PART = frozenset(
    ["ab", "af", "cs", "de", "et", "id", "ka", "kk", "ko", "pl", "pt", "ro", "tr", "uz"]
)
"""Languages in which `?!` are two words."""
_DIGIT = re.compile(r"\d(?=\d)")
_JOINED = re.compile(r"(?<=[^\W_])[-–/:](?=[^\W_])|(?<=\d)[.,](?=\d)")
_UNIT = re.compile(r"\d[ \u00a0]?[^\W\d_]{1,5}\Z")
_WIDEST_UNIT = 8
_UNITS_CUT = frozenset(["ro"])
_GROUPS = re.compile(
    r"(?<![\w.,+/-])(?<!\d[ \u00a0\u202f])[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3}){1,4}(?:,\d{1,9})?"
    r"(?![\w/-]|[.,]\d|[ \u00a0\u202f]\d)"
)
_WITH_GROUPS = frozenset(["fi", "fr", "lv"])
"""Languages whose treebanks have `1 250` as one token, at 145 of 145 places."""
_LAST_WORD = re.compile(r"(?<![^\s\"“„«'‘(\[])[^\s.\0]{2,30}\Z")
_LAST_NUMBER = re.compile(r"[^\W\d_][\"”»)]?[^\S\n]+[^\w\s]?(?:\d+[.,:/٫٬-])*\d+\Z")
_LAST_LETTER = re.compile(r"(?<![^\s\"“„«'‘(\[])[^\W\d_]\Z|\d[ \u00a0]?[^\W\d_]\Z")
_LETTERS_CUT = frozenset(["ca", "es", "fr", "gl", "it"])
"""Languages whose treebanks cut `plan B` from the period, and Portuguese small units, `3 h`."""
_SLASHED = re.compile(r"[^\W\d]{1,3}/[^\W\d]{1,3}")
_LONGEST = 50


def end_at_signs(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, tokens in a language at the places that `sign_ends` finds. Other parameters as
    for `join_abbreviations`.
    """
    for end in sign_ends(text, lang, start, start + len(labels)):
        if lang_of(end - 1) == lang:
            labels[end - 1 - start] |= TOKEN
            if end < start + len(labels) and not text[end].isalnum():
                labels[end - start] &= ~MULTIWORD & 0xFF  # the sign alone is no multiword token


def join_whole(
    labels: numpy.ndarray, text: str, start: int, lang: str, lang_of: Callable[[int], str]
) -> None:
    """
    Makes, in place, one token of each of the `whole_tokens` in a language. Other parameters as for
    `join_abbreviations`.
    """
    for first, end in whole_tokens(text, lang, start, start + len(labels)):
        if lang_of(end - 1) == lang:
            labels[max(0, first - start) : end - 1 - start] = 0
            labels[end - 1 - start] = TOKEN | (labels[end - 1 - start] & SENTENCE)


def even_hyphens(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, tokens on both sides of each hyphen in a word, or on neither, if some ended on
    one side only: `best` `-known`. Both is right in languages in which `design-based` is three
    words; Russian `кто-то`, `кое-кто` and `5-го` and Georgian `მე-20` are one. Other parameters as
    for `join_abbreviations`.
    """
    for word in _HYPHENED.finditer(text, start, start + len(labels)):
        lang = lang_of(word.start())
        hyphens = [match.start() - start for match in _HYPHEN.finditer(text, *word.span())]
        beside = [place for hyphen in hyphens for place in (hyphen - 1, hyphen)]
        is_even = len({*(labels[beside] & TOKEN).tolist()}) == 1
        if lang in _ALWAYS_CUT:
            labels[beside] |= TOKEN
        elif not is_even and lang not in _LEFT_OUT and not labels[beside].max() & SENTENCE:
            labels[beside] = TOKEN if lang in _BOTH_SIDED else 0
    for match in _PARTICLE.finditer(text, start + 1, start + len(labels) - 1):
        if lang_of(match.start()) in _WITH_PARTICLES:
            labels[match.start() - 1 - start : match.end() - start] = 0


def even_slashes(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, tokens on both sides of each slash or em dash between letters, or behind the
    period of a unit, `руб./кг`, or on neither, if some ended on one side only. English treebanks
    cut `he/she` and `it—really` at 225 of 225 places, `w/o` is one word, and `A/C` may be. Other
    parameters as for `join_abbreviations`.
    """
    for match in _SLASH.finditer(text, start + 1, start + len(labels)):
        place, lang = match.start() - start, lang_of(match.start())
        is_short = lang not in _SHORT_CUT and bool(_SHORT_SLASH.match(text, match.start() - 1))
        beside = labels[place - 1 : place + 1]
        if lang == "en" and not is_short:
            beside |= TOKEN
        elif len({*(beside & TOKEN).tolist()}) == 2 and lang not in _SLASHES_LEFT:
            near = text[max(0, match.start() - _WIDEST_UNIT) : match.start()]
            is_unit = lang not in _SHORT_CUT and bool(_UNIT.search(near))
            if not is_unit:  # that is up to `join_numbers`
                beside[:] = 0 if is_short or lang in _SLASHES_WHOLE else TOKEN
    for match in _WITH.finditer(text, start, start + len(labels) - 1):
        if lang_of(match.start()) == "en":
            first, end = match.start() - start, match.end() - start
            labels[first : end - 1] = 0
            labels[end - 1] |= TOKEN


def even_runs(labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]) -> None:
    """
    Makes, in place, one token of three dots and of question and exclamation marks in a row, or
    separate ones, as treebanks of the language do. Other parameters as for `join_abbreviations`.
    """
    for match in _RUN.finditer(text, start, start + len(labels)):
        first, end = match.start() - start, match.end() - start
        apart = _DOTS_PART if match[0][0] == "." else _MARKS_PART
        inner = labels[first : end - 1]
        labels[end - 1] |= inner.max() & (TOKEN | SENTENCE)
        inner[:] = TOKEN if lang_of(match.start()) in apart else 0


def join_numbers(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, nothing at a hyphen, dash, slash or colon after a digit, or between a capital
    and a digit, nor at a period or comma between digits, nor at the slash of a unit, `km/h`, if a
    token ended on one side of it only: `2-` `0`. Treebanks cut on both sides or on neither, between
    digits in all but 22 of 10,439 places of the training data; Romanian ones cut units. Nor between
    two digits: 17 of 40,929 numbers there are cut. Other parameters as for `join_abbreviations`.
    """
    for match in ending_in(_DIGIT, text, start, start + len(labels), 1):
        labels[match.start() - start] = 0
    for match in _JOINED.finditer(text, start + 1, start + len(labels) - 1):
        place = match.start() - start
        before, behind = text[match.start() - 1], text[match.end()]
        is_number = before.isdecimal() or (before.isupper() and behind.isdecimal())
        near = text[max(0, match.start() - _WIDEST_UNIT) : match.start()]
        is_unit = match[0] == "/" and _UNIT.search(near) is not None
        beside = labels[place - 1 : place + 1]
        if (is_number or is_unit) and {*beside.tolist()} == {0, TOKEN}:
            beside[:] = TOKEN if is_unit and lang_of(match.start()) in _UNITS_CUT else 0


def join_groups(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, nothing inside numbers with spaces between groups of three digits, in some
    languages. Other parameters as for `join_abbreviations`.
    """
    stop = start + len(labels)
    for match in _GROUPS.finditer(text, max(0, start - _LONGEST), stop + _LONGEST):
        if lang_of(match.start()) in _WITH_GROUPS:
            first, end = match.start() - start, match.end() - start
            labels[max(0, first) : max(0, end - 1)] = 0
            if 0 < end <= len(labels):
                labels[end - 1] |= TOKEN


def end_before_periods(
    labels: numpy.ndarray, text: str, start: int, lang_of: Callable[[int], str]
) -> None:
    """
    Ends, in place, the token before a period that ends a sentence, after a number or a word that is
    not an abbreviation: of 155,450 words of three letters or more there, 87 include the period, and
    26 of 2,376 numbers. Other parameters as for `join_abbreviations`.
    """
    for place in numpy.flatnonzero(labels & SENTENCE > 0).tolist():
        end = start + place
        if (
            text[end] == "."
            and place
            and not labels[place - 1]
            and _is_full_stop(text, end, lang_of(end))
        ):
            labels[place - 1] = TOKEN
            labels[place] &= ~MULTIWORD & 0xFF


def _is_full_stop(text: str, end: int, lang: str) -> bool:
    """Returns whether a period that ends a sentence is behind a word without a period."""
    near = text[max(0, end - _LONGEST) : end]
    following = text[end + 1 : end + 3].strip(" \n\0")[:1]
    if following.isdecimal() or (following.islower() and lang != "la"):
        return False  # hardly the end of a sentence; editions of Latin begin with small letters
    if near[-1].isdecimal():
        is_ordinal = bool(following) and not near[-3:].isdecimal()
        return bool(_LAST_NUMBER.search(near)) and not is_ordinal
    letter = _LAST_LETTER.search(near)
    if letter:
        is_unit = letter[0][0].isdecimal() or near[:-1].rstrip()[-1:].isdecimal()
        return lang in _LETTERS_CUT and (is_unit or near[-1].isupper()) or lang == "pt" and is_unit
    word = _LAST_WORD.search(near)
    return bool(word and (_SLASHED.fullmatch(word[0]) or not abbreviations(lang)(word[0])))
