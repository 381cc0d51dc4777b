"""The lemma of a word that was not seen, from words that were."""

from collections import Counter
from functools import cached_property
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from udify_allennlp.text.lemma_rules import WHOLE, apply_rule, make_rule

LONGEST_ENDING = 4


class LemmaGuess:
    """
    Words that end alike have lemmas made by the same rule: `googled` that of `smiled`. The longest
    ending that was seen counts, of four characters at most, and of its rules the most frequent one;
    first those that make a lemma which is known.

    # Parameters

    pairs : `Iterable[Tuple[str, str]]`
        Words and their lemmas.
    """

    def __init__(self, pairs: Iterable[Tuple[str, str]]) -> None:
        self._pairs = list(pairs)
        self._known = {lemma for _, lemma in self._pairs}

    @cached_property
    def _rules(self) -> Dict[str, List[str]]:
        """By ending, the most frequent one first."""
        counts: Dict[str, Counter[str]] = {}
        for word, lemma in self._pairs:
            rule = make_rule(word, lemma)
            if rule.startswith(WHOLE):  # one lemma, such as `be`, of every word
                continue
            for size in range(min(LONGEST_ENDING, len(word)) + 1):
                counts.setdefault(word[len(word) - size :], Counter())[rule] += 1
        return {ending: [rule for rule, _ in own.most_common()] for ending, own in counts.items()}

    def known(self, word: str) -> Optional[str]:
        """A lemma that was seen; `None` where no rule makes one."""
        return next((lemma for lemma in self._made(word) if lemma in self._known), None)

    def best(self, word: str) -> str:
        """That of `known` or, without one, a new one; the word itself where no word ends alike."""
        return self.known(word) or next(self._made(word, shortest=1), word)

    def _made(self, word: str, shortest: int = 0) -> Iterator[str]:
        for size in range(min(LONGEST_ENDING, len(word)), shortest - 1, -1):
            for rule in self._rules.get(word[len(word) - size :], ()):
                yield apply_rule(word, rule)
