"""
Parts of a text that no tokenizer may split: addresses, names and paths of files, tags of HTML and
XML, character entities, emoticons, dates and telephone numbers in digits, and user-perceived
characters. The rules and the segmenter share them.
"""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

import numpy

from udify_allennlp.text.cutting import MAX_PART
from udify_allennlp.text.scripts import MARKS
from udify_allennlp.text.unspaced import CHARACTERS

_STOPS = "։՝՞।۔،؛؟"
# Bounded repeats: nothing here may take time that grows faster than the text. An address ends where
# a script without spaces begins: there, words stand beside an address without a space.
_WORD = rf"(?:[^\W{CHARACTERS}]|[{MARKS}])"
_MAIL = rf"(?:{_WORD}|-){{1,64}}"
_URL = (
    rf"[^\s<>\"“”«»\u3001-\u3015\uff01-\uff0d\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65"
    rf"{_STOPS}{CHARACTERS}]"
)
# Top-level domains that are no words: an address without a scheme, as in "look at example.com".
_DOMAINS = "biz|br|ch|cn|com|cz|dk|edu|eu|fr|gov|gr|hu|info|io|jp|kr|net|nl|org|pl|ru|ua|uk"
_FILES = (
    "avi|bmp|cfg|cpp|css|csv|docx?|epub|exe|gif|html?|jpe?g|js|json|log|md|mov|mp[34]|pdf|png|pptx?"
    "|py|rtf|sql|svg|tar|tiff?|toml|txt|wav|xlsx?|xml|ya?ml|zip"
)
_NAME = r"[A-Za-z0-9_.-]"
_DIGIT = r"(?:(?![0-9])\d)"
_VALUE = r"""\s* = \s* (?: "[^"<>]*" | '[^'<>]*' | [^\s"'=<>]+ )"""
_SPANS = re.compile(
    rf"""
    (?P<url> (?<! [A-Za-z0-9_] ) (?: [A-Za-z][A-Za-z0-9+.-]{{1,15}}:// | [Ww]{{3}}\. )
        {_URL}{{1,300}} (?! {_URL} ) )
    | (?P<domain> (?<! {_WORD} ) (?<! [.@/+-] ) (?: [A-Za-z0-9][A-Za-z0-9-]{{0,62}} \. ){{1,6}}
        (?: {_DOMAINS} ) (?! {_WORD} | [@-] | \. [A-Za-z0-9] )
        (?: / {_URL}{{0,300}} (?! {_URL} ) )? )
    | (?P<file> (?<! {_WORD} ) (?<! [.@/+-] ) (?: ~? / )? (?: {_NAME}{{1,60}} / ){{0,16}}
        [A-Za-z0-9_] {_NAME}{{0,60}} \. (?: {_FILES} | {_FILES.upper()} )
        (?! {_WORD} | [@/-] | \. [A-Za-z0-9] ) )
    | (?P<path> (?<! {_WORD} ) (?<! [.:@/<+-] ) ~? / [A-Za-z] {_NAME}{{0,60}}
        (?: / {_NAME}{{0,60}} [A-Za-z0-9_] ){{1,16}} (?! {_WORD} ) )
    | (?P<face> (?<! \S ) (?: [:;=] -? [)(DPpOo|*] {{1,8}} | <3{{1,3}} ) (?! [^\s.,!?] ) )
    | (?P<dotted> (?<! \S ) \. (?! [CDILMVX]+\. ) [A-Z]{{2,8}} (?! \w ) )  # .NET, not .XV.
    | (?P<mail> (?<! {_WORD} ) (?<! [.+-] ) @?  # with it, a handle of Mastodon
        (?: {_WORD} | [.+-] ){{1,64}} @ {_MAIL} (?: \. {_MAIL} ){{1,8}} )
    | (?P<handle> (?<! {_WORD} ) [@\#] (?! \d ) {_WORD}{{1,101}} )
    | (?P<tag> (?<! < ) < (?= [^<>]{{1,298}} > (?! > ) ) /? [A-Za-z] [\w:.-]* (?: {_VALUE} )?
        (?: \s+ (?: [\w:.-]+ {_VALUE} | (?: async | checked | controls | defer | disabled | hidden
            | multiple | readonly | required | selected ) \b ) )*
        \s* /? > )
    | (?P<entity> & (?: \#\d{{1,7}} | \#[Xx][0-9A-Fa-f]{{1,6}} | [A-Za-z][A-Za-z0-9]{{1,31}} ) ; )
    | (?P<number> (?<! \d ) (?<! \d[-/:.,] ) (?: \d{{1,4}} (?: -\d{{1,4}} ){{2,5}}
        | \d{{1,4}} / \d{{1,2}} / \d{{1,4}} | \d{{1,2}} : \d{{2}} : \d{{2}} ) (?! [-/:]?\d )
        | (?<! \d ) {_DIGIT}{{1,16}} (?: [.,:/٫٬] {_DIGIT}{{1,16}} ){{1,8}} (?! \d ) )  # ۲٫۵
    """,
    re.VERBOSE,
)
_SIGNS = re.compile(
    rf"://|[Ww]{{3}}\.|[@#<&]|[A-Za-z0-9]\.(?:{_DOMAINS}|{_FILES}|{_FILES.upper()})(?!{_WORD})"
    rf"|\d([-/:])\d{{1,4}}\1\d|{_DIGIT}[.,:/٫٬]\d|[:;=]-?[)(DPpOo|*]|/[A-Za-z]{_NAME}*/|\s\.[A-Z]"
)
"""Characters without which a text has no such part."""
_CLOSING = ".,;:!?)]}'’…*"
_OPENED = {")": "(", "]": "[", "}": "{"}
_JOINED_BEFORE = re.compile(rf"{_WORD}['’‐‑-]?\Z")
_JOINED_BEHIND = re.compile(rf"['’‐‑-]?{_WORD}")
_FIRST_MARK = "\u0300"
"""The first character that can be seen as one with the character before it."""
# Of 79 in training data, one is cut. Before several letters, the mark may open a quotation.
_ACRONYM = re.compile('[א-ת](?=["״][א-ת](?![א-ת"״]))')
_SURROGATES = re.compile("[\ud800-\udfff]")


class Span(NamedTuple):
    """A part of a text that stays whole."""

    start: int
    end: int
    opens: bool
    """True if a token begins there, regardless of the text before it."""
    closes: bool
    """True if a token ends there, regardless of the text after it."""


def spans(text: str) -> Iterator[Span]:
    """
    Yields the addresses (URL, `example.com`, e-mail, `@handle`, `#hashtag`), files (`a.pdf`,
    `/usr/bin`), `.NET`, tags, entities, emoticons and numbers of three parts or more (`2024-11-28`,
    `28/11/2024`, `12:30:45`, `555-123-4567`) in a text, and numbers such as `۲٫۵` in other digits
    than Latin ones, in order and without overlaps. Punctuation after an address is not part of it.
    """
    if not _SIGNS.search(text):
        return
    for match in _SPANS.finditer(text):
        start, end = match.span()
        opens = closes = not match["number"]
        address = match["url"] or match["domain"]
        if address:
            end = start + len(_without_closing(address))
        if match["entity"]:
            name = match["entity"][1:]
            if name[0] != "#" and name not in html5:
                continue  # AT&T;
            shown = html.unescape(match["entity"])
            if shown.isalnum() or shown in "'’‐‑-\u00ad":
                opens = closes = False
        if not match["tag"]:
            opens &= not _JOINED_BEFORE.search(text[max(0, start - 2) : start])
            closes &= not _JOINED_BEHIND.match(text, end)
        if match["entity"] and opens != closes:
            opens = closes = True  # a quotation mark, not the `&amp;` of `R&amp;D`
        yield Span(start, end, opens, closes)


def continues(text: str) -> numpy.ndarray:
    """
    Returns for each character whether a user-perceived character, a grapheme cluster of Unicode
    (UAX #29), or the end of a Hebrew acronym, `צה"ל`, continues after it; bool `(len(text),)`.
    Longer clusters are cut at `MAX_PART` characters.
    """
    inside = numpy.zeros(len(text), dtype=bool)
    if max(text, default="") >= _FIRST_MARK:
        from icu4py.breakers import CharacterBreaker

        lengths = [*map(len, CharacterBreaker(_SURROGATES.sub("\ufffd", text), "en"))]
        ends = numpy.cumsum(lengths)
        inside[:] = True
        inside[ends - 1] = False
        for number in numpy.flatnonzero(numpy.array(lengths) > MAX_PART):
            inside[ends[number] - lengths[number] + MAX_PART - 1 : ends[number] : MAX_PART] = False
        for match in _ACRONYM.finditer(text):
            inside[match.start() : match.start() + 2] = True
    return inside


def _without_closing(url: str) -> str:
    while url[-1] in _CLOSING:
        opening = _OPENED.get(url[-1])
        if opening and url.count(opening) >= url.count(url[-1]):
            break
        url = url[:-1]
    return url
