"""
Text as treebanks spell it. It is in Unicode's composed form (NFC), which Universal Dependencies
require. Letters replace their presentation forms (`ﬁ`, full-width Latin), and an apostrophe
replaces an acute accent beside letters (`it´s`). It has no invisible characters from web pages and
editors (soft hyphens, spaces of no width, marks of writing direction), no stress marks of Cyrillic
(`Пу́тин`), which lemmas of treebanks lack, and no signs of Arabic for short and double letters
(`كلّ`), which are optional; other languages in this script spell with them. Tokens keep the text as
written, so that it can be rebuilt; tokenizers and models see this one.
"""

import re
from collections.abc import Callable, Iterator
from unicodedata import category, normalize

from udify_allennlp.text.places import Places, places_of
from udify_allennlp.text.sentence import Sentence

# Joiners (U+200C, U+200D) are not among them: they are part of the spelling of Persian and others.
_MARK = re.compile(
    "(?:[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
    "|\u0301(?<=[аеиоуыэюяёіїєАЕИОУЫЭЮЯЁІЇЄ]\u0301))+"
)
# Its treebanks have marks of direction behind colons, which part words.
_OLD_TURKIC = re.compile("[\U00010c00-\U00010c4f]")
# Pairs such as ĳ; ligatures of Latin and of Armenian; Arabic by place in a word; narrow katakana.
_PRESENTED = re.compile(
    "[\u0132\u0133\u01c4-\u01cc\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufbb1\ufbd3-\ufbff"
    "\ufe80-\ufefc\uff66-\uff9f]"
)
# Not of endings: treebanks have these (`جداً`).
_SHORT = re.compile("[\u0640\u064e-\u0652\u0670]+")
# Letters of other languages than Arabic: Persian, Sindhi, Urdu, Uyghur.
_OTHER_ARABIC = re.compile(
    "[\u063b-\u063f\u066e\u066f\u0672-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9]"
)
_ACUTE = re.compile(r"´(?:(?<=[^\W\d_]´)|(?<=[\u0300-\u036f]´)|(?=[^\W\d_]))")
_WIDE = re.compile("[Ａ-Ｚａ-ｚ]")
# Beside Chinese characters, treebanks keep letters wide: `卡拉ＯＫ`.
_CHINESE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def bare(text: str) -> str:
    """
    Returns a text as treebanks are written; the text itself if it is, if it has nothing but
    invisible characters, or is Old Turkic.
    """
    if text.isascii() or _OLD_TURKIC.search(text):
        return text
    return _respelling(text)(_ACUTE.sub("'", text)) or text


def with_bare_forms(sentence: Sentence) -> Sentence:
    """Returns a sentence with the `bare` forms of its words."""
    text = sentence.text
    if bare(text) == text:
        return sentence
    respell = _respelling(text)
    return with_forms(sentence, lambda form: respell(_ACUTE.sub("'", form)) or form)


def with_forms(sentence: Sentence, respell: Callable[[str], str]) -> Sentence:
    """Returns a sentence whose words have other forms, which must be forms of CoNLL-U."""
    rows = [row.split("\t") for row in sentence.text.split("\n")]
    for cells in rows:
        if cells[0].isdigit():
            cells[1] = respell(cells[1])
    return Sentence("\n".join(map("\t".join, rows)), sentence.path, sentence.line)


def places(text: str) -> Places:
    """Returns for each character of a `bare` text its start and its end in the text."""
    return places_of(_parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yields the smallest parts of a text that are respelled alone, each with its `bare` text."""
    respell = _respelling(text)
    text = _ACUTE.sub("'", text)
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _is_combined(text[end]):
            continue
        part = text[start:end]
        rest, shown = part, respell(part)
        for char in shown[:-1]:
            size = 1 if rest.startswith(char) else len(normalize("NFD", char))
            yield rest[:size], char
            rest = rest[size:]
        yield rest, shown[-1:]
        start = end


def _is_combined(char: str) -> bool:
    """Returns whether a character may be composed with the one before it."""
    return "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f" or category(char)[0] == "M"


def _respelling(text: str) -> Callable[[str], str]:
    """Returns the function from parts of a text to their `bare` text, which may be empty."""
    plain, left_out = [_PRESENTED], [_MARK]
    if _WIDE.search(text) and not _CHINESE.search(text):
        plain.append(_WIDE)
    if _SHORT.search(text) and not _OTHER_ARABIC.search(text):
        left_out.append(_SHORT)

    def respell(part: str) -> str:
        for pattern in plain:
            part = pattern.sub(lambda match: normalize("NFKC", match[0]), part)
        part = normalize("NFC", part)
        for pattern in left_out:
            part = pattern.sub("", part)
        return part

    return respell
