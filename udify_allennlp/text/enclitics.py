"""
Verbs with pronouns at their ends, if their spelling leaves no doubt. Most are multiword tokens:
Spanish `dándoselo` is `dando se lo`. In French and German they are tokens: `donne -le -moi`, and
`geht 's`, as well as `wenn 's`.

Of the tokens of treebanks that match, about 97 in 100 or more are split into the same words
(`benchmarks/certain_splits.py`). Galician `velo`, which treebanks split in different ways, does not
match. Portuguese `dizê-lo` is always split, but into `dizer lo` in 10 of 14 tokens. Of German words
few are in treebanks, and `Zettel's`, a genitive, is one token, so the words before `'s` are listed.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Optional

from udify_allennlp.text.contractions import WORD_END, WORD_START
from udify_allennlp.text.cutting import ending_in

_LO = "lo|la|los|las"
_ES = f"{_LO}|le|les"
_ES_ALL = f"me|te|se|nos|os|{_ES}"
_IT = "lo|la|li|le|ne"
_IT_ALL = f"mi|ti|si|ci|vi|gli|{_IT}"
_CA_ALL = "me|te|se|lo|la|los|les|li|ne|hi|ho|nos|vos|ens|us"
_CERTAIN = {
    "ca": [
        rf"([^\W\d][\w·]{{1,30}})-({_CA_ALL})",
        r"([^\W\d][\w·]{1,30})-(me|te|se|nos|vos|li|los)-(lo|la|los|les|li|ne|hi|ho)",
    ],
    "es": [
        rf"(\w{{1,30}}[áé]ndo)({_ES_ALL})({_ES})?",
        rf"(\w{{0,30}}[áéí]r)(me|te|se|nos|os)({_ES})",
        r"(\w{0,15}[áéíóú]\w{0,15})(me|te|se|nos)(lo|la|los|las)",  # dámelo
        r"(\w{0,15}[áéíóú]\w{0,15}[ae])(me|te|se)",  # cuéntame
        r"(\w{0,15}[áéíóú]\w{0,15}[ae]n)(me|se)",  # siéntense
    ],
    "gl": [
        r"(\w{1,30}[áéíó]ndo)(me|te|se|lle|lles|nos|vos|o|a|os|as)",
        r"(\w{0,15}[áéíóú]\w{0,15}[ae]n)(se)",  # pódense
    ],
    "it": [
        rf"(\w{{2,30}}[ae]ndo)({_IT_ALL})",
        rf"(\w{{1,30}}(?:[ae]ndo|[aeiou]r))(me|te|se|ce|ve|glie)({_IT})",
    ],
    "pt": [
        r"([^\W\d]\w{1,30})-(me|te|se|lhe|lhes|nos|vos|o|a|os|as)",
        rf"(\w{{1,30}}[áêí])-({_LO})",  # dizê-lo
    ],
}
"""Spellings of such tokens: a group for the verb, and one for each pronoun."""
_OF_VERBS = {
    "es": rf"(\w{{1,30}}[aeií]r)({_ES_ALL})",
    "gl": r"(\w{2,30}[aeií]r)(me|te|se|lle|lles|nos|vos)",
    "it": rf"(\w{{2,30}}[aeo]r)({_IT_ALL})",
}
"""Spellings of other words, too, such as `parte`, if the part before the pronoun is not a verb."""
_OTHERS = {
    "es": {"intérprete", "pésame", "zárate"},
    "gl": {"améndoas"},
    "it": {"girandola", "girandole"},
}
_ACCENTS = re.compile("[áéó]|(?<![aeou])í(?![aeo])|(?<![aeo])ú(?![aeo])")
"""
In Spanish and Galician the accent of `dándole` is that of the whole token: `dando le`. That of
`ríete` separates two vowels: `ríe te`.
"""
_PLAIN = dict(zip("áéíóú", "aeiou"))
_INFINITIVES = {"á": "ar", "ê": "er", "í": "ir"}
"""The ends of Portuguese infinitives, which lose their `r` before `lo`."""
_FRENCH = re.compile(
    r"(?<![\w‐‑.@#-])(?!(?:chez|hors|rendez|t)-)[^\W\d]{1,30}"
    r"(?:(-(?:t-)?(?:il|elle|on)s?|-(?:je|tu|nous|vous|ce))"
    r"|(-(?:moi|toi|le|la|les|lui|leur|nous|vous|y|en))"
    r"(-(?:moi|toi|le|la|les|lui|leur|nous|vous|y|en))?"
    rf"|(-[mtl]')(en|y)){WORD_END}",
    re.IGNORECASE,
)
_GERMAN = re.compile(
    r"(?<![\w‐‑.@#'-])(?:bin|bist|ist|sind|war|warst|wär|wäre|hab|habe|hast|hat|haben|hatte|hätte"
    r"|wird|werd|werde|wurde|würd|würde|kann|kannst|können|konnte|könnte|muss|musst|müssen|musste"
    r"|soll|sollte|will|willst|wollte|darf|mag|möchte|geht|ging|gibt|gib|gab|gäbe|kommt|kam|macht"
    r"|mach|machen|tut|tun|tat|bleibt|steht|stand|liegt|lag|sieht|seh|sehe|weiß|sagt|sag|nimm"
    r"|lass|lasst|lassen|glaub|glaube|find|finde|fand|braucht|heißt|hieß|hört|läuft|scheint|schien"
    r"|reicht|stimmt|ich|du|er|sie|wir|ihr|man|mir|dir|ihm|uns|euch|sich|wie|wo|was|wer|wenn|ob|als"
    rf"|bis|dass|daß|weil|so|jetzt|wann|warum)('s){WORD_END}",
    re.IGNORECASE,
)
_TOKENS = {"de": _GERMAN, "fr": _FRENCH}
"""Words with pronouns that are several tokens: a group for each pronoun."""
_LONGEST = 50
"""No token that matches is longer."""


def enclitics(form: str, lang: str, verbs: Collection[str] = ()) -> tuple[str, ...]:
    """
    Returns the words of a token that is certainly a verb with pronouns, lower-cased; empty for any
    other. `verbs` are verbs of the language without pronouns, which training has.
    """
    low = form.lower()
    # Amandola is a town.
    if low in _OTHERS.get(lang, ()) or (lang == "it" and form[:1].isupper()):
        return ()
    pattern, of_verbs = _pattern(lang), _OF_VERBS.get(lang)
    match = pattern.fullmatch(low) if pattern else None
    if match is None and of_verbs is not None:
        match = re.fullmatch(of_verbs, low)
        if match is not None and match[1] not in verbs:
            return ()
    if match is None:
        return ()
    verb, *pronouns = filter(None, match.groups())
    if lang in ("es", "gl"):
        verb = _ACCENTS.sub(lambda match: _PLAIN[match[0]], verb)
    if lang == "pt" and pronouns[0] in _LO.split("|"):
        verb = f"{verb[:-1]}{_INFINITIVES[verb[-1]]}"
    return (verb, *pronouns)


def enclitic_spans(
    text: str, lang: str, start: int, stop: int, verbs: Collection[str] = ()
) -> Iterator[tuple[int, int]]:
    """
    Yields the start and the end of these tokens in a part of a text, in order:
    `start < end <= stop`.
    """
    words = _words(lang)
    if words is not None:
        for match in ending_in(words, text, start, stop, _LONGEST):
            if enclitics(match[0], lang, verbs):
                yield match.span()


@lru_cache
def _pattern(lang: str) -> Optional[re.Pattern[str]]:
    choices = _CERTAIN.get(lang)
    return re.compile("|".join(choices)) if choices else None


@lru_cache
def _words(lang: str) -> Optional[re.Pattern[str]]:
    """Returns a pattern of the words that may be such tokens."""
    if lang not in _CERTAIN:
        return None
    choices = "|".join([*_CERTAIN[lang], *filter(None, [_OF_VERBS.get(lang)])])
    return re.compile(rf"{WORD_START}(?:{choices}){WORD_END}", re.IGNORECASE)


def token_ends(text: str, lang: str, start: int, stop: int) -> Iterator[tuple[int, list[int]]]:
    """
    Yields the start of each French or German word with pronouns in a part of a text, and the ends
    of its tokens, in order, of which the last one is in this part: `start < end <= stop`.
    """
    if lang in _TOKENS:
        for match in ending_in(_TOKENS[lang], text, start, stop, _LONGEST):
            pronouns = [group for group, found in enumerate(match.groups(), 1) if found]
            yield match.start(), [*map(match.start, pronouns), match.end()]
