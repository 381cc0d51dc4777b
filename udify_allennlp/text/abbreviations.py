"""
Periods of abbreviations, and tests whether a sentence continues after them. sentencex knows
abbreviations of many languages, but not which may also end a sentence (`etc.`), nor which are also
plain words (Swedish `det`, English `me`). So the following text decides, and abbreviations before
names are listed here.
"""

import functools
import re
from collections.abc import Callable
from typing import Optional

ORDINALS = frozenset(
    ["da", "de", "et", "eu", "fi", "fo", "hr", "hu", "is", "lt", "lv", "nb", "nn", "no", "sl", "sr"]
)
"""`2.` means second if the sentence continues."""
_ANYWHERE = "dr mr mrs prof"
_SPANISH = "art dra dras dres fig gral lic núm pág págs sr sra sras sres srta sta sto tel"
_CZECH = "č čl doc gen ing mgr např napr p plk sv tj tzv ul"
_CROATIAN = "čl doc gđa npr sv tj tzv ul др доц нпр проф св тј тзв ул чл"
_NORWEGIAN = "frk hr jf kap kgl nr tlf"
_BEFORE_NAMES = {
    "be": "акад вул гл праф св",
    "bg": "бул вж доц проф св ул чл",
    "ca": f"{_SPANISH} pàg",
    "cs": _CZECH,
    "da": _NORWEGIAN,
    "de": "abs bzw frl hr hrn nr sog tel vgl",
    "el": "αρ βλ δρ κ κα καθ κκ σελ τηλ",
    "en": "capt cf cmdr col fig figs gen gov hon lt maj messrs ms mt rep rev sen sgt supt vol vs",
    "es": _SPANISH,
    "et": "hr lk nr",
    "fr": "cf chap fig m mgr mlle mlles mm mme mmes p pp ste tél",
    "gl": f"{_SPANISH} páx",
    "hr": _CROATIAN,
    "hu": "ifj özv ún",
    "is": "bls hr nr",
    "it": "art artt avv cap cfr dott fig geom ing pag pagg sig sigg tel",
    "lt": "doc žr",
    "nb": _NORWEGIAN,
    "nl": "art dhr drs fig ing ir mevr mgr mw nr resp tel",
    "pl": "doc hab inż ks mgr np nr p płk red tzn tzw ul św",
    "pt": "art arts dra dras eng exma exmo fig núm pág págs profa sr sra sras srs srta tel",
    "ro": "alin art dl dna fig nr pag str",
    "ru": "акад гл доц кв оз проф св см стр ул",
    "sk": _CZECH,
    "sl": _CROATIAN,
    "sr": _CROATIAN,
    "sv": "hr jfr kap nr tel",
    "tr": "av bkz doç sn yrd",
    "uk": "акад вул гл див доц ім інж кв оз проф св ст",
}
"""By language, lower-cased: words that hardly ever end a sentence, and are not plain words."""
_OTHER_NAMES = {"bs": "hr", "nn": "nb", "no": "nb"}
_VOWEL = re.compile(
    "[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýāăąēęěīıōőœūůűάέήίαεηιουωόύώаеёиоуыэюяєії]", re.IGNORECASE
)
_BEFORE = re.compile(r"(?<![\w.'’&-])([^\W_]{1,20}(?:\.[^\W_]{1,20}){0,8})\.\Z")
_BEHIND = re.compile(r"[^\S\n]{1,9}([^\W_])")
_INITIAL = re.compile(r"[^\S\n]{1,9}(?=[^\W\d_]\.[^\S\n]?[^\W\d_])")
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

    stands_before_names = _before_names(lang)

    @functools.lru_cache(10_000)
    def is_abbreviation(word: str) -> bool:
        text = f"A {word}. {word.capitalize()} b"
        is_known = len(list(get_sentence_boundaries(lang or "en", text))) == 1
        return is_known or word.lower() in stands_before_names

    return is_abbreviation


@functools.lru_cache(maxsize=64)
def goes_on(lang: Optional[str]) -> Callable[[str, int], bool]:
    """
    Returns the test for a sentence that continues after the first `end` characters of a text, whose
    last is a period, because that is part of an abbreviation or of an ordinal number: of an
    abbreviation that precedes names (`Mrs. Smith`) or has no vowel (`Blvd.`), or an initial before
    another (`J. R. Smith`), else if a lower-case letter or a number follows on the same line.
    """
    is_abbreviation = abbreviations(lang)
    stands_before_names = _before_names(lang)
    # Where sentencex ends no sentence at a period, as in Armenian, it says nothing of a word.
    knows_periods = not is_abbreviation("ababab")

    def sentence_goes_on(text: str, end: int) -> bool:
        near = text[max(0, end - _LONGEST) : end]
        before, behind = _BEFORE.search(near), _BEHIND.match(text, end)
        if not before or not behind:
            return False
        word, following = before[1], behind[1]
        if word.lower() in stands_before_names:
            return True
        if len(word) == 1 and word.isupper() and _INITIAL.match(text, end):
            return True
        if word.isdecimal():
            return lang in ORDINALS and following.islower()
        if not knows_periods or not is_abbreviation(word):
            return False
        if following.islower() or following.isdecimal():
            return True
        is_unit = near[: before.start()].rstrip()[-1:].isdecimal()  # `5 km.` is as good an end
        return len(word) > 1 and word[1:].islower() and not is_unit and not _VOWEL.search(word)

    return sentence_goes_on


def _before_names(lang: Optional[str]) -> frozenset[str]:
    before_names = _BEFORE_NAMES.get(_OTHER_NAMES.get(lang or "en", lang or "en"), "")
    return frozenset(f"{_ANYWHERE} {before_names}".split())
