"""The multiword tokens of the training data, from the vocabulary of a segmenter."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from udify_allennlp.text.contractions import contracted, contractions
from udify_allennlp.text.lemma_rules import edges, unescape
from udify_allennlp.text.multiwords import apply_split

_FEWEST, _JOINED, _LONG = 500, 0.95, 0.2
"""
Conditions for a language whose tokens are strings of words: the number of tokens that training
split, the share of them that their words, joined, are, and the share of three words or more. Of 170
languages Coptic alone meets them; in Hebrew, 2% of the tokens have three words.
"""
_LEFT = frozenset(["en", "frm", "fro", "ka", "la", "say", "sdh", "tr"])
"""Languages whose treebanks disagree on such forms: Old French `du`, Turkish `evdeki`."""
_APOSTROPHE = re.compile("['’]")
_Forms = dict[tuple[str, str], list[int]]


def known_forms(entries: Iterable[str], numbers: Mapping[str, int]) -> _Forms:
    """Returns by language and form the rules by which it was split in training."""
    rules_of: _Forms = {}
    for entry in entries:
        lang, form, rule = entry.split(" ")
        if rule in numbers:
            rules_of.setdefault((lang, unescape(form)), []).append(numbers[rule])
    return rules_of


_Splits = list[tuple[str, tuple[str, ...]]]


def known_splits(forms: _Forms, names: Sequence[str]) -> dict[str, _Splits]:
    """Returns by language the tokens that were split in training, with their words."""
    splits: dict[str, _Splits] = {}
    for (lang, form), rules in forms.items():
        known = splits.setdefault(lang, [])
        known.extend((form, apply_split(form, names[rule])) for rule in rules)
    return splits


def only_split(
    known: _Splits, lang: str, words_of: Callable[[str], Collection[str]]
) -> dict[str, tuple[str, ...]]:
    """
    Returns the words of the known tokens of a language that training always split, in one way: of
    1,737 such tokens in development and test files, 1,717 are split into these words. Forms that
    are words of the language elsewhere (`words_of`) are left out, as are those with apostrophes.
    In Romance languages, capitals make names of such forms.
    """
    if lang in _LEFT or contracted(lang):
        return {}
    splits: dict[str, set[tuple[str, ...]]] = {}
    elsewhere = words_of(lang) if known else ()
    for form, words in known:
        if form not in elsewhere and not _APOSTROPHE.search(form):
            splits.setdefault(form, set()).add(words)
    return {form: words for form, (words, *others) in splits.items() if not others}


def strings_of_words(known: _Splits) -> list[tuple[str, ...]]:
    """
    Returns the words of the tokens that are these words, joined, if the tokens of the language are
    strings of words; otherwise none.
    """
    joined = [words for form, words in known if "".join(words) == form]
    of_three = sum(len(words) > 2 for words in joined)
    enough = len(joined) >= _JOINED * len(known) and of_three >= _LONG * len(known)
    return joined if enough and len(known) >= _FEWEST else []


def known_edges(forms: _Forms, names: Sequence[str]) -> Counter[tuple[str, int, tuple[str, str]]]:
    """
    Counts the tokens of a language in which a rule applied to some characters (`edges`) in
    training. Those of a closed class do not count: what makes Portuguese `pela` `por a` makes
    nothing of `Aquela`.
    """
    counts: Counter[tuple[str, int, tuple[str, str]]] = Counter()
    for (lang, form), rules in forms.items():
        if contracted(lang) and form in contractions(lang):
            continue
        for rule in rules:
            counts[lang, rule, edges(form, names[rule])] += 1
    return counts
