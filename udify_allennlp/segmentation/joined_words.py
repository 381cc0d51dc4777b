"""Tokens that are strings of words, as in Coptic: the most probable words of one."""

import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Optional

from udify_allennlp.text.cutting import between_characters

DISCOUNT = 0.75
LONGEST_TOKEN, LONGEST_WORD = 40, 20
"""Maximum numbers of characters, which bound the time for each character of a text."""
ODDS = 1.5
"""The weight of their odds beside the logits of a network: our choice, by development files."""
_AFFIX = 5
"""The least number of tokens in which an affix stands beside a longer word."""
_END = "\0"  # of a word
_LEAST = 1e-300  # so that no logarithm is of 0


class _State(NamedTuple):
    word: str
    has_stem: bool


_START = _State("", has_stem=False)


class Split(NamedTuple):
    words: tuple[str, ...]
    """Two words or more."""
    odds: float
    """Their log-probability minus that of the token as one word."""


def affixes_of(tokens: Iterable[Sequence[str]]) -> frozenset[str]:
    """Returns the words that often stand beside a longer word of their token."""
    counts = Counter(
        word for words in tokens if len(words) > 1 for word in sorted(words, key=len)[:-1]
    )
    return frozenset(word for word, count in counts.items() if count >= _AFFIX)


class JoinedWords:
    """
    Probabilities of the words of tokens: bigrams of words, which fall back to single words, and
    these to trigrams of characters, so that unknown words have a probability, too (Mochihashi et
    al. 2009, section 3). Our departures: training knows the words, each token counts once, and
    counts are discounted by `DISCOUNT` at each level instead of by a Pitman-Yor process.

    # Parameters

    tokens : `Iterable[Sequence[str]]`
        The words of different tokens, lower-cased; of most tokens, one.
    affixes : `Optional[Collection[str]]`
        If given, at most one word of a token is none of these.
    """

    def __init__(
        self, tokens: Iterable[Sequence[str]], affixes: Optional[Collection[str]] = None
    ) -> None:
        self._affixes = affixes
        # "" is the border of a token.
        self._bigrams = _Counts(pair for words in tokens for pair in pairwise(("", *words, "")))
        self._unigrams = _Counts(("", word) for _, word in self._bigrams.pairs)
        spelled = [_END * 2 + word + _END for _, word in self._unigrams.pairs]
        self._trigrams = _Counts(
            (text[place - 2 : place], text[place])
            for text in spelled
            for place in range(2, len(text))
        )
        self._lower = _Counts((context[1], letter) for context, letter in self._trigrams.pairs)
        self._lowest = _Counts(("", letter) for _, letter in self._lower.pairs)
        self._best = lru_cache(maxsize=2**14)(self._most_probable)
        self._after = lru_cache(maxsize=2**16)(self._log_probability)
        self._spelling = lru_cache(maxsize=2**16)(self._probability_of_letters)

    def split(self, form: str) -> Optional[Split]:
        """
        Returns the most probable words of a token, at least two; `None` if it is too long, has
        other characters than letters and their marks, or cannot be cut between these.
        """
        low = form.lower()
        if len(low) != len(form) or not 1 < len(form) <= LONGEST_TOKEN:
            return None
        if any(unicodedata.category(character)[0] not in "LM" for character in form):
            return None
        words = self._best(low)
        if not words:
            return None
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word))
        parts = (form[start:end] for start, end in pairwise(starts))
        return Split(tuple(parts), self.odds(words))

    def odds(self, words: Sequence[str]) -> float:
        """
        Returns the log-probability of a token of these words, lower-cased, minus that of the token
        as one word; minus infinity if it would have several stems.
        """
        if sum(map(self._is_stem, words)) > 1:
            return -math.inf
        return self.log_probability(words) - self.log_probability(("".join(words),))

    def log_probability(self, words: Sequence[str]) -> float:
        """Returns that of a token of these words, lower-cased, in nats."""
        return sum(self._after(*pair) for pair in pairwise(("", *words, "")))

    def _most_probable(self, form: str) -> tuple[str, ...]:
        # By the end of a part of the form, its last word, and whether a stem is in it: the
        # log-probability of the best words of the part, and the same of the word before.
        best: list[dict[_State, tuple[float, _State]]] = [{_START: (0.0, _START)}]
        of_affixes: list[dict[_State, tuple[float, _State]]] = [{_START: (0.0, _START)}]
        for end in range(1, len(form) + 1):
            found: dict[_State, tuple[float, _State]] = {}
            for start in range(max(0, end - LONGEST_WORD), end):
                word = form[start:end]
                is_stem = self._is_stem(word)
                before_it = of_affixes[start] if is_stem else best[start]
                # No word begins with a mark of the letter before.
                is_cut = start == 0 or between_characters(form[start - 1], word[0])
                if not before_it or word == form or not is_cut:
                    continue
                for before, (value, _) in before_it.items():
                    state = _State(word, is_stem or before.has_stem)
                    new = value + self._after(before.word, word), before
                    found[state] = max(found.get(state, new), new)
            best.append(found)
            of_affixes.append({own: way for own, way in found.items() if not own.has_stem})
        last = best[-1]
        if not last:
            return ()
        state = max(last, key=lambda state: (last[state][0] + self._after(state.word, ""), state))
        words: list[str] = []
        end = len(form)
        while state.word:
            words.append(state.word)
            end, state = end - len(state.word), best[end][state][1]
        return tuple(reversed(words))

    def _is_stem(self, word: str) -> bool:
        return self._affixes is not None and word not in self._affixes

    def _log_probability(self, before: str, word: str) -> float:
        single = self._unigrams.probability("", word, self._spelling(word))
        return math.log(self._bigrams.probability(before, word, single))

    def _probability_of_letters(self, word: str) -> float:
        text = _END * 2 + word + _END
        product = 1.0
        for place in range(2, len(text)):
            letter = text[place]
            chance = self._lowest.probability("", letter, 1 / 2**16)
            chance = self._lower.probability(text[place - 1], letter, chance)
            product *= self._trigrams.probability(text[place - 2 : place], letter, chance)
        return max(product, _LEAST)


class _Counts:
    """Counts of pairs, a context and what follows it, for probabilities by absolute discounting."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = Counter(pairs)
        self._totals: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        for (context, _), count in self.pairs.items():
            self._totals[context] += count
            self._kinds[context] += 1

    def probability(self, context: str, item: str, lower: float) -> float:
        """Returns that of `item` in a context, given its probability without the context."""
        total = self._totals[context]
        if not total:
            return lower
        count = max(self.pairs[context, item] - DISCOUNT, 0.0)
        return (count + DISCOUNT * self._kinds[context] * lower) / total
