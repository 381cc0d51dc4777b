"""
Verbs with pronouns at their ends, if their spelling, or a known verb, leaves no doubt. Most are
multiword tokens: Spanish `dándoselo` is `dando se lo`, and `comprarte` is `comprar te`; those of
other languages are several tokens (`clitic_tokens.py`). Polish verbs have endings of person instead
(`zrobiła m`), and Tagalog and Albanian words other clitics. Yiddish pronouns stand before verbs as
well: `ס'איז` is `עס איז`.

Of the tokens of treebanks that match, about 97 in 100 or more are split into the same words
(`benchmarks/certain_splits.py`). Galician `velo` and `pelo`, also nouns, do not match.
Portuguese `dizê-lo` is always split, but into `dizer lo` in 10 of 14 tokens.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Optional

from udify_allennlp.text.contractions import WORD_END, WORD_START, is_whole
from udify_allennlp.text.cutting import ending_in
from udify_allennlp.text.enclitic_patterns import CERTAIN, FUTURE_PT, LO, OF_VERBS, OTHERS
from udify_allennlp.text.lemma_rules import apply_rule

_ACCENTS = re.compile("[áéó]|(?<![aeo])(?<![^gq]u)í(?![aeo])|(?<![aeo])ú(?![aeo])")
"""
In Spanish and Galician the accent of `dándole` is that of the whole token: `dando le`. That of
`ríete` separates two vowels: `ríe te`.
"""
_PLAIN = dict(zip("áéíóú", "aeiou"))
_FULL = {"m": "me", "t": "te", "s": "se", "ns": "nos", "l": "lo", "ls": "los", "n": "ne"}
"""Catalan pronouns after an apostrophe: `ajuda'm` is `ajuda me`, as `ajudar-me` is `ajudar me`."""
_FIRST_OF_TWO = {"m": "me", "t": "te", "ch": "che", "lh": "lhe", "ll": "lle"}
"""Portuguese and Galician pronouns before `o`: `disse-lho` is `disse lhe o`."""
_MAY_BEGIN = re.compile("(?:a'?|i'?|[aei]te|iamo|ecco)$")
"""Ends of Italian verbs with pronouns that may begin a sentence; others may be names."""
_YIDDISH = {"כ": "איך", "מ": "מע", "ס": "עס", "ו": "דו"}
"""Yiddish pronouns that are joined with a verb."""
_INFINITIVES = {"á": "ar", "ê": "er", "í": "ir", "i": "ir", "ô": "or"}
"""The ends of Portuguese infinitives, which lose their `r` before `lo`."""
_IRREGULAR_PT = {"fá": "faz", "fê": "fez", "fi": "fiz", "pô": "pôr", "qui": "quis", "trá": "traz"}
"""Other Portuguese verbs before `lo`."""
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
    if form in OTHERS.get(lang, ()) or low in OTHERS.get(lang, ()) or is_whole(low, lang):
        return ()
    certain, of_verbs = _patterns(lang)
    match = certain.fullmatch(low) if certain else None
    if match is not None:
        verb, clitics = _words_of(match, lang)
    else:
        match = of_verbs.fullmatch(low) if of_verbs is not None else None
        if match is None or form in others or low in others:
            return ()
        verb, clitics = _words_of(match, lang)
        if not _is_verb(verb, lang, verbs):
            return ()
    if lang == "it" and form[:1].isupper() and not _MAY_BEGIN.search(verb):
        return ()  # Amandola is a town.
    return (verb, *clitics)


def needs_verbs(lang: str) -> bool:
    """Returns whether some of these tokens of a language are certain only if a verb is known."""
    return lang in OF_VERBS


def takes_pronouns(lang: str, form: str, feats: str, rule: str) -> bool:
    """
    Returns whether a word is a verb that pronouns may follow: an infinitive, or an imperative,
    which in Italian is mostly a form of the present as well; given the rule of its lemma.
    """
    if lang == "pl":
        return "Tense=Past" in feats
    if "VerbForm=Inf" in feats or "Mood=Imp" in feats or (lang == "gl" and "Mood=" in feats):
        return True
    if lang == "es":
        return "Person=3" in feats and "Tense=Pres" in feats
    if lang != "it" or "Mood=Ind" not in feats or "Tense=Pres" not in feats:
        return False
    if "Number=Plur" in feats:
        return "Person=2" in feats
    if "Person=3" in feats:
        return form.lower().endswith("a")  # aiuta, of aiutare
    return "Person=2" in feats and not apply_rule(form, rule, lang).endswith("are")  # prendi


def _words_of(match: re.Match[str], lang: str) -> tuple[str, list[str]]:
    """Returns the verb of a token, spelled as without clitics, and the clitics."""
    verb, *clitics = (part for part in match.groups() if part)
    if lang == "es":
        # Before `os`, an imperative loses its `d`: `sentaos`.
        verb = (
            _plain(verb) + "s" * verb.endswith("mo") + "d" * (verb[-1] == "a" and clitics == ["os"])
        )
    elif lang == "gl":
        clitics = [_FIRST_OF_TWO.get(each, each) for each in clitics]
        verb = _galician(verb, match[0][len(verb) :], clitics[0])
    elif lang == "it" and verb in ("da", "di"):
        verb += "'"
    elif lang == "ca":
        clitics = [_FULL.get(each, each) for each in clitics]
    elif lang == "yi":
        # The treebank has ligatures in most of these words: ווילסטו is װילסט דו.
        verb, other = (
            _YIDDISH.get(part, part.replace("וו", "װ").replace("יי", "ײ"))
            for part in (verb, clitics[0])
        )
        clitics = [other]
        verb = "דאָס" if other == "רובֿ" else verb
    elif lang == "pt":
        clitics = [_FIRST_OF_TWO.get(each, each) for each in clitics]
        if clitics[0] in LO.split("|"):
            verb = _portuguese(verb, len(clitics) > 1)
        if len(clitics) > 1 and verb.endswith("r") and clitics[1] in FUTURE_PT.split("|"):
            verb += clitics.pop()
    return verb, clitics


def _plain(verb: str) -> str:
    return _ACCENTS.sub(lambda match: _PLAIN[match[0]], verb)


def _galician(verb: str, behind: str, clitic: str) -> str:
    """
    Returns a Galician verb before the letters `behind`: before `l` it loses its last consonant, and
    `facer o` is `facelo`; the accent of the future `fará` is not written in `farase`.
    """
    is_first = clitic == "nos" and verb.endswith("mo")
    if behind.removeprefix("-") == f"l{clitic}" and not clitic.startswith("l") or is_first:
        return _plain(verb) + ("s" if verb.endswith("mo") else "r")
    if verb.endswith(("ra", "ran")) and _plain(verb) == verb:
        return re.sub("a(n?)$", r"á\1", verb)
    return verb if re.search("r[áé]n?$|^[^aeiou]*[áé]$", verb) else _plain(verb)


def _portuguese(verb: str, is_future: bool) -> str:
    """Returns a Portuguese verb that lost its last consonant before `lo`: `dizê-lo`, `fá-lo-ei`."""
    if not is_future and verb in _IRREGULAR_PT:
        return _IRREGULAR_PT[verb]
    if verb.endswith("mo"):
        return f"{verb}s"
    return f"{verb[:-1]}{_INFINITIVES[verb[-1]]}"


def _is_verb(form: str, lang: str, verbs: Collection[str]) -> bool:
    """
    Returns whether a word is one of `verbs`, or has the stem of one: Spanish `decid` that of
    `decir`, `trae` that of `traer`, Galician `deixa` that of `deixar`, Polish `poszedłem` that of
    `poszedł`.
    """
    if lang == "es" and form not in verbs:
        form = form.removesuffix("d") + "r"
    if lang == "gl":
        form = form[:-1] if form.endswith("á") else form
        return form in verbs or f"{form}r" in verbs
    if lang == "pl":
        return any(f"{form[:-1]}{end}" in verbs for end in ("ł", "ła", "ło", "li", "ły"))
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
    found = (each.get(lang) for each in (CERTAIN, OF_VERBS))
    return tuple(re.compile("|".join(choices)) if choices else None for choices in found)


@lru_cache
def _words(lang: str) -> Optional[re.Pattern[str]]:
    """Returns a pattern of the words that may be such tokens."""
    if lang not in CERTAIN:
        return None
    choices = "|".join([*CERTAIN[lang], *OF_VERBS.get(lang, ())])
    return re.compile(rf"{WORD_START}(?:{choices}){WORD_END}", re.IGNORECASE)
