"""
Verbs with pronouns at their ends, if their spelling, or a known verb, leaves no doubt. Most are
multiword tokens: Spanish `dándoselo` is `dando se lo`, and `comprarte` is `comprar te`. In French
and German they are tokens: `donne -le -moi`, and `geht 's`, as well as `wenn 's`.

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
        r"([^\W\d]{2,30}[ae])'(m|t|ns|ls?|n)",  # dona'm
        r"([^\W\d]{2,30}re)'(s)",
    ],
    "es": [
        rf"(\w{{1,30}}[áé]ndo)({_ES_ALL})({_ES})?",
        rf"(\w{{0,30}}[áéí]r)(me|te|se|nos|os)({_ES})",
        r"(\w{0,15}[áéíóú]\w{0,15})(me|te|se|nos)(lo|la|los|las)",  # dámelo
        r"(\w{0,15}[áéíóú]\w{0,15}[ae])(me|te|se)",  # cuéntame
        r"(\w{0,15}[áéíóú]\w{0,15}[ae]n)(me|se)",  # siéntense
        r"(\w{0,15}[áéí]mo)(nos)",  # vámonos
        r"(da)(me|les?|nos)",
        r"(haz|pon|ten)(me|les?|nos|los?|las?)",
        r"(haz|pon|ve)(te)",
    ],
    "gl": [
        r"(\w{1,30}[áéíó]ndo)(me|te|se|lle|lles|nos|vos|o|a|os|as)",
        r"(\w{0,15}[áéíóú]\w{0,15}[ae]n)(se)",  # pódense
    ],
    "it": [
        rf"(\w{{2,30}}[ae]ndo)({_IT_ALL})",
        rf"(\w{{1,30}}(?:[ae]ndo|[aeiou]r))(me|te|se|ce|ve|glie)({_IT})",
        rf"(d[ai]|fa|va)(?:m(me)|t(te)|c(ce)|(glie))({_IT})",  # dammelo
        r"(d[ai]|fa|sta)m(mi)",
        r"(d[ai]|sta|va)c(ci)",
        r"(di)(?:l(lo|la|li|le)|(gli))",
        rf"(\w{{2,30}}iamo)(ci|vi|gli|{_IT})",  # andiamoci
        rf"(\w{{2,30}}iamo)(me|te|ce|ve|glie)({_IT})",
    ],
    "pt": [
        r"([^\W\d]\w{1,30})-(me|te|se|lhe|lhes|nos|vos|o|a|os|as)",
        rf"(\w{{1,30}}[áêí])-({_LO})",  # dizê-lo
    ],
}
"""Spellings of such tokens: a group for the verb, and one for each pronoun."""
_OF_VERBS = {
    "es": [rf"(\w{{1,30}}[aeií]r)({_ES_ALL})"],
    "gl": [r"(\w{2,30}[aeií]r)(me|te|se|lle|lles|nos|vos)"],
    "it": [
        rf"(\w{{1,30}}[aeiou]r)({_IT_ALL})",
        r"(\w{2,30}a)(mi|ci|lo|la)",  # aiutami
        r"(\w{2,30}i)(mi|ci|lo|la|gli)",  # prendilo; partiti is another word
        rf"(\w{{1,30}}[aei]te)(mi|ci|vi|gli|{_IT})",  # ditemi
        rf"(\w{{2,30}}[aei])(me|ce|glie)({_IT})",  # portamelo
    ],
}
"""
Spellings of other words, too, such as `parte`, if the part before the pronoun is not a verb form
that `takes_pronouns`.
"""
_OTHERS = {
    "es": {"Dale", "Dame", "intérprete", "pésame", "zárate"},
    "gl": {"améndoas"},
    "it": {"girandola", "girandole", "legami", "segnala", "segnalo"},
}
_ACCENTS = re.compile("[áéó]|(?<![aeou])í(?![aeo])|(?<![aeo])ú(?![aeo])")
"""
In Spanish and Galician the accent of `dándole` is that of the whole token: `dando le`. That of
`ríete` separates two vowels: `ríe te`.
"""
_PLAIN = dict(zip("áéíóú", "aeiou"))
_FULL = {"m": "me", "t": "te", "s": "se", "ns": "nos", "l": "lo", "ls": "los", "n": "ne"}
"""Catalan pronouns after an apostrophe: `ajuda'm` is `ajuda me`, as `ajudar-me` is `ajudar me`."""
_MAY_BEGIN = re.compile("(?:a|i|[aei]te|iamo)$")
"""Ends of Italian verbs with pronouns that may begin a sentence; others may be names."""
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


def enclitics(
    form: str, lang: str, verbs: Collection[str] = (), others: Collection[str] = ()
) -> tuple[str, ...]:
    """
    Returns the words of a token that is certainly a verb with pronouns, lower-cased; empty for any
    other. `verbs` are verbs of the language without pronouns, which training has, Italian
    infinitives with or without their last `e`. `others` are other words of it: Spanish `parte` is
    none, even if `par` is annotated as a verb.
    """
    low = form.lower()
    if form in _OTHERS.get(lang, ()) or low in _OTHERS.get(lang, ()):
        return ()
    certain, of_verbs = _patterns(lang)
    match = certain.fullmatch(low) if certain else None
    if match is None and of_verbs is not None:
        match = of_verbs.fullmatch(low)
        if match is not None and (
            form in others or low in others or not _is_verb(_parts(match)[0], lang, verbs)
        ):
            return ()
    if match is None:
        return ()
    verb, *pronouns = _parts(match)
    if lang == "it" and form[:1].isupper() and not _MAY_BEGIN.search(verb):
        return ()  # Amandola is a town.
    if lang in ("es", "gl"):
        verb = _ACCENTS.sub(lambda match: _PLAIN[match[0]], verb)
    if lang == "es" and verb.endswith("mo"):
        verb += "s"
    if lang == "it" and verb in ("da", "di"):
        verb += "'"
    if lang == "ca":
        pronouns = [_FULL.get(each, each) for each in pronouns]
    if lang == "pt" and pronouns[0] in _LO.split("|"):
        verb = f"{verb[:-1]}{_INFINITIVES[verb[-1]]}"
    return (verb, *pronouns)


def needs_verbs(lang: str) -> bool:
    """Returns whether some of these tokens of a language are certain only if a verb is known."""
    return lang in _OF_VERBS


def takes_pronouns(lang: str, form: str, feats: str, lemma: str) -> bool:
    """
    Returns whether a word is a verb that pronouns may follow: an infinitive, or an imperative,
    which in Italian is mostly a form of the present as well.
    """
    if "VerbForm=Inf" in feats or "Mood=Imp" in feats:
        return True
    if lang != "it" or "Mood=Ind" not in feats or "Tense=Pres" not in feats:
        return False
    if "Number=Plur" in feats:
        return "Person=2" in feats
    if "Person=3" in feats:
        return form.endswith("a")  # aiuta, of aiutare
    return "Person=2" in feats and not lemma.endswith("are")  # prendi


def _parts(match: re.Match[str]) -> list[str]:
    """Returns the verb and the pronouns of a token."""
    return [part for part in match.groups() if part]


def _is_verb(form: str, lang: str, verbs: Collection[str]) -> bool:
    return form in verbs or (lang == "it" and f"{form}e" in verbs)


def enclitic_spans(
    text: str,
    lang: str,
    start: int,
    stop: int,
    verbs: Collection[str] = (),
    others: Collection[str] = (),
) -> Iterator[tuple[int, int]]:
    """
    Yields the start and the end of these tokens in a part of a text, in order:
    `start < end <= stop`.
    """
    words = _words(lang)
    if words is not None:
        for match in ending_in(words, text, start, stop, _LONGEST):
            if enclitics(match[0], lang, verbs, others):
                yield match.span()


@lru_cache
def _patterns(lang: str) -> tuple[Optional[re.Pattern[str]], ...]:
    """Returns the patterns of certain tokens, and of those whose verb must be known."""
    found = (each.get(lang) for each in (_CERTAIN, _OF_VERBS))
    return tuple(re.compile("|".join(choices)) if choices else None for choices in found)


@lru_cache
def _words(lang: str) -> Optional[re.Pattern[str]]:
    """Returns a pattern of the words that may be such tokens."""
    if lang not in _CERTAIN:
        return None
    choices = "|".join([*_CERTAIN[lang], *_OF_VERBS.get(lang, ())])
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
