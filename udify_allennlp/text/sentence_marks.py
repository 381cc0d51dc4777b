"""
Punctuation that decides whether a sentence ends: marks that end nothing but sentences, quotation
marks behind a period, and words after a quotation. All patterns have a bounded length.
"""

import re
from collections.abc import Iterator
from typing import Optional

from udify_allennlp.text.abbreviations import abbreviations, goes_on
from udify_allennlp.text.casing import CAPITAL_NOUNS
from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.scripts import MARKS
from udify_allennlp.text.sentence_openers import openers

_OPEN, _CLOSING = "「『“（《(〈【«", "」』”》)）〉】»"
_WIDE = "。！？"
_PERIODS = "։۔።।॥"
"""Full stops of the Armenian, Arabic, Ethiopic and Indian scripts."""
_BAR = re.compile(r"(?<![^\s\0])(?:हैं?|हू[ँं]|थ[ाेी]|थीं|\S{1,20}ग[ाेी]) \|(?=[\s\0]|\Z)")
"""A bar instead of the Hindi full stop, behind a verb: ` है |`; elsewhere it separates fields."""
_AFTER_STOP = f"{_CLOSING}{_WIDE}{_PERIODS}!?\"'’"
_COLON = "(?<=[ա-և՞»]):(?=[ \u00a0][Ա-Ֆ])"
"""Armenian texts have it for `։`: of 1,102 such colons in treebanks, 1,100 end a sentence."""
_STOP = re.compile(f"[{_WIDE}{_PERIODS}{_OPEN}{_CLOSING}]|{_COLON}")
_BEGINS = re.compile(rf"(?!って|と(?![ても]))\s*(?:[^\W_]|[{_OPEN}]|\0|\Z)")
_NO_QUOTE = re.compile(r"(?![ \u00a0]?[\"“”„«»‘’'‹›])")
_QUOTES = "[\"“”„«»‘’'‹›]{1,3}"
_CLOSED = re.compile(
    rf"(?<=[.!?…{_WIDE}{_PERIODS}])(?:{_QUOTES}|[)\]」』\"'”’]{{1,3}})(?=[\s\0]|\Z)"
)
_SPEECH = re.compile(rf"(?<=[.!?…]){_QUOTES}[ \u00a0]?(?!https?:)(?=([^\W\d_]))")
_DASH = re.compile(r"(?<=[!?…])[ \u00a0]?[—–][ \u00a0]?(?=([^\W\d_]))")
_OPENED = re.compile(r"(?<=[\s\0])[«»„“‚‹›](?=[^\W\d_])")
_KOREAN = re.compile(
    r"(?<=[.!?…])[\"'”’]{1,2}(?=(라고|라는|라며|라면|라던|라니|하고|하며|하는|[고며는]\s))"
)
_CAPITAL = re.compile(rf"(?:(?<=[!?])|(?<=[^\W\d_A-Z]{{2}}\.)){_QUOTES}(?=[ \u00a0\n]([^\W\d_]))")
_PLAIN = re.compile(
    r"(?:(?<=\w)[!?]|(?<![\w.'’-])([^\W\d_]{3,30})\.)(?=[ \u00a0]([^\W\d_])(?:[^.]|(?<=Я)\.))"
)
_QUESTION = re.compile(rf"(?<=[\w{MARKS}])[!?؟](?=[ \u00a0]([^\W\d_]))")
_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVXLCDM]+\b")
_POST = re.compile(r"[@#$«»\[]|http|[A-Z]{4}\d")
_UNMARKED = re.compile(r"[^\W_][ \u00a0][^\W\d_][^\0]{0,200}?[.!?](?=[\s\0]|\Z)")
_SHORT_ENDS = frozenset(["af", "da", "de", "en", "eu", "it", "la", "nb", "nl", "nn", "no", "sv"])
"""Networks miss many ends between short sentences of these."""
_ENDS_AT_MARKS = frozenset(
    ["be", "cs", "cy", "eu", "hr", "it", "la", "lt", "lv", "mk", "pl", "pt", "ru", "sk", "sl"]
    + ["sr", "uk"]
)
"""
Languages whose sentences end at `!` and `?` between short ones; not Germanic ones: `Yahoo! News`.
In treebanks of the Slavic and Baltic ones, 2,414 of 2,431 do, of which networks miss 31.
"""
_WITH_POSTS = frozenset(["it", "pt"])
_QUESTIONS_END = frozenset(["ar", "fa", "hi", "id", "tr"])
"""Networks miss ends at question and exclamation marks of these."""
_WITH_REPLIES = _SHORT_ENDS - {"eu", "it", "la"}
"""Those in which a reply of one word is a sentence, too: `Hej. Tak.`"""
_STARTS = re.compile(r"(?:[\n\0]|[!?…][\"'”’»)]?[ \u00a0]|(\.)[ \u00a0]|\A)[\"'“‘«„»]?\Z")
_ALWAYS_MARKED = frozenset(["la"])
_LEFT = frozenset(["bm", "ga"])
"""Their treebanks have other ends at quotation marks."""
_DASHES_OPEN = frozenset(["pl"])
"""Treebanks have sentences like `– bo tak.`"""
_WIDEST = 40
_AROUND = 200


def stops(text: str, first: int, last: int) -> Iterator[int]:
    """
    Yields the places in a paragraph of marks that always end a sentence outside brackets and
    quotation marks: in 375,000 sentences of treebanks, all but 26 of 10,641 do.
    """
    depth = 0
    for match in _STOP.finditer(text, first, last):
        mark, end = match[0], match.end()
        depth = max(0, depth + (mark in _OPEN) - (mark in _CLOSING))
        follows = text[end : min(end + 1, last)]
        if mark in _OPEN or mark in _CLOSING or depth or (follows and follows in _AFTER_STOP):
            continue
        if mark in _PERIODS and (follows.isalnum() or not _NO_QUOTE.match(text, end, last)):
            continue
        if mark in "！？" and not _BEGINS.match(text, end, last):
            continue
        yield match.start()
    for match in _BAR.finditer(text, first, last):
        yield match.end() - 1


def closings(text: str) -> Iterator[tuple[int, int]]:
    """
    Yields the places of periods, and of the last of the quotation marks or brackets after them:
    a sentence ended between the two in 6 of 3,372 places of treebanks, behind them in 2,550.
    """
    for match in _CLOSED.finditer(text):
        yield match.start() - 1, match.end() - 1


def speeches(text: str, lang: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """
    Yields the starts and ends of periods with quotation marks or a dash behind them, before a small
    letter or a Korean particle, `"Who?" asked`, and those of opening quotation marks, also if only
    a part is between `start` and `stop`. Hardly any sentence of treebanks ends there.
    """
    if lang in _LEFT:
        return
    for match in _OPENED.finditer(text, max(0, start - 1), stop + 1):
        yield match.span()
    patterns = [_SPEECH] if lang in _DASHES_OPEN else [_SPEECH, _DASH]
    for pattern in [*patterns, _KOREAN] if lang == "ko" else patterns:
        for match in pattern.finditer(text, max(0, start - _WIDEST), stop + _WIDEST):
            letter = match[1][0]
            # Georgian has no capitals at the beginning of sentences.
            is_small = letter.islower() and not "ა" <= letter <= "ჿ"
            if is_small or pattern is _KOREAN:
                yield match.start() - 1, match.end()


def capital_ends(text: str, lang: str, start: int, stop: int) -> Iterator[int]:
    """
    Yields the ends of sentences, `start < end <= stop`, before a word with a capital: those behind
    a quotation mark after a period, and in some languages those after any word and `!` or `?`, or
    a period, except in posts and quotations in Italian and Portuguese, which treebanks do not cut;
    a Germanic word with a capital may be a name, and has to be the first one. In others those after
    `?` or `!`, also before letters without case.
    """
    if lang not in _LEFT:
        for match in ending_in(_CAPITAL, text, start, stop, _WIDEST, 3):
            if match[1].isupper():
                yield match.end()
    if lang in _ENDS_AT_MARKS | _SHORT_ENDS:
        for match in ending_in(_PLAIN, text, start, stop, _WIDEST, 3):
            if match[2].isupper() and _is_plain(match[1], text, match.end(), lang):
                yield match.end()
    if lang in _QUESTIONS_END:
        for match in ending_in(_QUESTION, text, start, stop, _WIDEST, 2):
            if not match[1].islower():
                yield match.end()


def is_unmarked(text: str, lang: str, end: int) -> bool:
    """
    Returns whether no sentence ends after `end` characters of a text, because it would without
    punctuation, which the text has soon after. Treebanks of most languages have such sentences.
    """
    return lang in _ALWAYS_MARKED and _UNMARKED.match(text, end - 1) is not None


def _is_plain(word: Optional[str], text: str, end: int, lang: str) -> bool:
    """
    Returns whether a sentence ends after a word with a period, or after another mark (`None`): not
    after abbreviations, `cap. V`, nor in posts.
    """
    if lang in _WITH_POSTS:
        before = text[max(0, end - _AROUND) : end].rpartition("\0")[2]
        if _POST.search(before + text[end : end + _AROUND].partition("\0")[0]):
            return False
    if word is None:
        return lang in _ENDS_AT_MARKS
    if lang not in _SHORT_ENDS or abbreviations(lang)(word) or _ROMAN.match(text, end + 1):
        return False
    if lang in _WITH_REPLIES and word.istitle():
        return _starts(text, end - len(word) - 1, lang)
    following = _WORD.match(text, end + 1)
    # Before a noun with a capital, it may be an abbreviation: `der ehem. Leiter`.
    opens = following and (lang not in CAPITAL_NOUNS or following[0] in openers(lang))
    return word.islower() and bool(opens)


def _starts(text: str, place: int, lang: str) -> bool:
    """Returns whether a sentence starts at a place: behind an end, or at the start of a line."""
    before = _STARTS.search(text[max(0, place - _WIDEST) : place])
    if before is None:
        return False
    return not before[1] or not goes_on(lang)(text, text.rindex(".", 0, place) + 1)
