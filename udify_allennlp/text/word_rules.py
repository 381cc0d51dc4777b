"""
Word boundaries in a sentence of any language: those of Unicode (UAX #29, word boundaries, by ICU,
whose dictionaries know the scripts without spaces), except where treebanks of Universal
Dependencies differ. The differences were counted in 600 sentences of each training and development
file of UD of November 2025, or of the test file if there are none; other languages follow the
majority. For scores, see `docs/install.md`.
"""

import itertools
import re
from collections.abc import Callable
from typing import Optional

import numpy

from udify_allennlp.text.abbreviations import ORDINALS, abbreviations, is_roman_ordinal
from udify_allennlp.text.cutting import text_parts
from udify_allennlp.text.kept_whole import continues, spans
from udify_allennlp.text.raw_text import Token
from udify_allennlp.text.unspaced import UNSPACED

# Bounded repeats: nothing here may take time that grows faster than the text.
_WHOLE = re.compile(
    r"""
    \b (?: [^\W\d_] \. ){2,16}                        # U.S., z.B.
    | (?<! \d ) \d{1,64} (?: [.,:/] \d{1,64} ){1,16}              # 3.50, 15:30, 1984/85
    | (?<! \S ) [:;=] [-']? [)(DPp]{1,8} (?! \w )       # :-)
    | ( [^\w\s()\[\]{}<>!?] ) \1 {1,100}                # ... and --
    """,
    re.VERBOSE,
)
_HYPHENED = re.compile(r"\b\w{1,64}(?:[-‐‑]\w{1,64}){1,16}")
_GLUED = re.compile(
    r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)"  # 20th, ko 1990년
    r"|(?<=\w)(?=[-‐‑]\s)"  # Haupt- und Nebensatz
)
_PERIOD = re.compile(r"(?<![\w.])([^\W_]{1,20})\.(?=\s)")

HYPHENS_PART = frozenset(["cs", "de", "en", "he", "hi", "hsb", "sl", "tr", "uk"])
"""`design-based` is three words."""
PERIODS_PART = frozenset(["cs", "hsb", "hy", "hyw", "id", "lt", "pl", "sk", "ug", "uk"])
"""Languages in which the period of an abbreviation is a word."""
LETTERS_PART = PERIODS_PART | {"bar", "be", "gl", "is", "lv", "ru", "sl"}
"""Languages in which each period of `U.S.` may be a word."""
_ELISION = r"(?<=\w['’])(?=\w)"
_INSIDE = {
    "en": r"(?<=\w)(?=n['’]t\b|['’](?:s|m|d|re|ve|ll)\b)",
    "ga": r"(?<=\b[bdm]['’])(?=\w)",
    "ro": r"(?<=\b[b-df-np-zșț]-)(?=\w)|(?<=tr-)(?=\w)|(?<=\w)(?=-(?:l|i|le|mi|și|ți|ne|vă)\b)",
    "fr": rf"(?<!aujourd['’]){_ELISION}",
    **dict.fromkeys(
        ["ca", "fro", "frm", "it", "lij", "lmo", "nap", "oc", "pro", "scn", "vec"], _ELISION
    ),
}
"""
Positions at which words are written without a space between them, by language: `do|n't`, `l'|eau`.
"""


def word_rules(lang: Optional[str]) -> Callable[[str], list[Token]]:
    """
    Returns a function from a sentence to its words, by the rules of a language or, as described
    above, of any. Without a language, English clitics are split, too: `do|n't` is rarely anything
    else.
    """
    from icu4py.breakers import WordBreaker

    locale = lang or "en"
    inside = re.compile(_INSIDE[locale], re.IGNORECASE) if locale in _INSIDE else None
    belongs = _periods(lang)

    def ends_in(text: str) -> set[int]:
        ends: set[int] = set()
        for start, part in text_parts(text):
            # ICU's own offsets count UTF-16 units, which are not Python's characters.
            ends.update(itertools.accumulate(map(len, WordBreaker(part, locale)), initial=start))
        return ends

    def tokenize(text: str) -> list[Token]:
        ends = ends_in(text)
        wholes = [match.span() for match in _WHOLE.finditer(text)]
        if lang not in HYPHENS_PART:
            wholes += [match.span() for match in _HYPHENED.finditer(text)]
        # Where the sentence ends, no period is left for an abbreviation.
        last = next((i for i in reversed(range(len(text))) if text[i].isalnum()), 0)
        for match in _PERIOD.finditer(text, 0, last + 1):
            if belongs(match[1]):
                wholes.append(match.span())
        for start, end in wholes:
            ends.difference_update(range(start + 1, end))
        for match in _GLUED.finditer(text):
            place = match.start()
            if not UNSPACED.match(text[place - 1]) and not UNSPACED.match(text[place]):
                ends.discard(place)
        if inside:
            ends.update(match.start() for match in inside.finditer(text))
        for span in spans(text):
            ends.difference_update(range(span.start + 1, span.end))
            ends.update([span.start] * span.opens + [span.end] * span.closes)
        ends.difference_update((numpy.flatnonzero(continues(text)) + 1).tolist())
        return [
            Token(start, end)
            for start, end in itertools.pairwise(sorted(ends))
            if not text[start:end].isspace()
        ]

    return tokenize


def _periods(lang: Optional[str]) -> Callable[[str], bool]:
    """Returns the test whether a period belongs to the word before it if the sentence continues."""
    is_abbreviation = abbreviations(lang)

    def belongs(word: str) -> bool:
        if word.isdecimal():
            return lang in ORDINALS
        return is_roman_ordinal(word, lang) or (lang not in PERIODS_PART and is_abbreviation(word))

    return belongs
