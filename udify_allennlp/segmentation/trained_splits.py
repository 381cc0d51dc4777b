"""The multiword tokens of the training data, from the vocabulary of a segmenter."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from udify_allennlp.data.token_words import token_words
from udify_allennlp.segmentation.joined_words import affixes_of
from udify_allennlp.text.contractions import contracted, contractions
from udify_allennlp.text.enclitics import enclitics
from udify_allennlp.text.lemma_rules import edges, unescape
from udify_allennlp.text.multiwords import apply_split

_FEWEST, _JOINED, _LONG = 500, 0.95, 0.2
"""
Conditions for a language whose tokens are strings of words: the number of tokens that training
split, the share of them that their words, joined, are, and the share of three words or more. Of 170
languages Coptic alone meets them; in Hebrew, 2% of the tokens have three words.
"""
_LISTED = 100
"""The number of tokens for `token_words`, if training splits most tokens like these."""
_LEFT = frozenset(["en", "frm", "fro", "ka", "la", "say", "sdh", "tr"])
"""Languages whose treebanks disagree on such forms: Old French `du`, Turkish `evdeki`."""
_WITHHELD = frozenset(["lij"])
"""Languages of which the licence keeps multiword tokens out of the archive."""
_APOSTROPHE = re.compile("['’]")
_Splits = Sequence[tuple[str, tuple[str, ...]]]
"""Tokens with their words."""


def by_language(entries: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Returns the forms of split tokens, each with one of its rules, by language."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for entry in entries:
        lang, form, rule = entry.split(" ")
        found[lang].append((form, rule))
    return dict(found)


class TrainedSplits:
    """
    The multiword tokens of a language in the training data.

    # Parameters

    lang : `str`
    forms : `Iterable[tuple[str, str]]`
        The forms of split tokens, lower-cased and escaped, each with one of its rules.
    numbers : `Mapping[str, int]`
        The numbers of the rules that are known.
    """

    def __init__(
        self, lang: str, forms: Iterable[tuple[str, str]], numbers: Mapping[str, int]
    ) -> None:
        self.rules: dict[str, list[int]] = {}
        """The numbers of the rules by which each token was split."""
        self.tokens: list[tuple[str, tuple[str, ...]]] = []
        self.edges: Counter[tuple[int, tuple[str, str]]] = Counter()
        """
        The number of tokens in which a rule applied to some characters (`edges`). Those of a closed
        class do not count: what makes Portuguese `pela` `por a` makes nothing of `Aquela`.
        """
        is_closed = bool(contracted(lang))
        for escaped, rule in forms:
            if rule not in numbers:
                continue
            form, number = unescape(escaped), numbers[rule]
            self.rules.setdefault(form, []).append(number)
            self.tokens.append((form, apply_split(form, rule)))
            if not (is_closed and form in contractions(lang)):
                self.edges[number, edges(form, rule)] += 1
        self.parts = {word.lower() for _, words in self.tokens for word in words}
        """The words of the tokens, lower-cased."""
        joined = [words for form, words in self.tokens if "".join(words) == form]
        if len(joined) < _JOINED * len(self.tokens):
            joined = []
        listed = [*token_words(lang)] if len(joined) >= _LISTED else []
        self.joined = [*joined, *listed] if listed or _are_strings(joined) else []
        """
        The words of its tokens if these are strings of words, including those that `token_words`
        lists; otherwise none.
        """
        self.affixes = affixes_of(listed) if listed else None
        """
        The words that may stand beside a stem in these tokens; `None` if any words make a token.
        """
        self.are_contractions = lang in _WITHHELD or any(
            form in contractions(lang) for form in self.rules
        )
        """True if some are among those that are certain in the language."""
        self.have_enclitics = any(enclitics(form, lang) for form in self.rules)
        """True if some are verbs with pronouns."""


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


def _are_strings(joined: Sequence[tuple[str, ...]]) -> bool:
    """Returns whether there are enough tokens, many of them of three words or more."""
    of_three = sum(len(words) > 2 for words in joined)
    return len(joined) >= _FEWEST and of_three >= _LONG * len(joined)
