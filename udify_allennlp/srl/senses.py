"""The senses of predicates: a choice among the senses that training had for each lemma."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Optional

import torch
import torch.nn.functional as F
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.srl.tasks import KEY_LABELS, KEYED, ROLESETS
from udify_allennlp.text.lemma_rules import WHOLE, apply_rule, make_rule
from udify_allennlp.text.roles.predicates import split_roleset

LONGEST_ENDING = 4
FIRST = "01"
"""The sense of a lemma that training lacks: PropBank begins with it."""


class LemmaGuess:
    """
    A guesser of lemmas: words that end alike have lemmas made by the same rule, such as `googled`
    and `smiled`. The longest known ending counts, of at most four characters, with its most
    frequent rule; rules that make a known lemma come first.

    # Parameters

    pairs : `Iterable[Tuple[str, str]]`
        Pairs of words and their lemmas.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = list(pairs)
        self._known = {lemma for _, lemma in self._pairs}

    @cached_property
    def _rules(self) -> dict[str, list[str]]:
        """The rules by ending, the most frequent one first."""
        counts: dict[str, Counter[str]] = {}
        for word, lemma in self._pairs:
            rule = make_rule(word, lemma)
            if rule.startswith(WHOLE):  # one lemma, such as `be`, of every word
                continue
            for size in range(min(LONGEST_ENDING, len(word)) + 1):
                counts.setdefault(word[len(word) - size :], Counter())[rule] += 1
        return {
            ending: [rule for rule, _ in rules.most_common()] for ending, rules in counts.items()
        }

    def known(self, word: str) -> Optional[str]:
        """Returns a known lemma; `None` if no rule makes one."""
        return next((lemma for lemma in self._made(word) if lemma in self._known), None)

    def best(self, word: str) -> str:
        """
        Returns the lemma of `known` or, failing that, a new one; the word itself if no known word
        has the same ending.
        """
        return self.known(word) or next(self._made(word, shortest=1), word)

    def _made(self, word: str, shortest: int = 0) -> Iterator[str]:
        for size in range(min(LONGEST_ENDING, len(word)), shortest - 1, -1):
            for rule in self._rules.get(word[len(word) - size :], ()):
                yield apply_rule(word, rule)


class SenseClassifier(torch.nn.Module):
    """
    A linear layer over all senses, from which each word chooses among those of its lemma or form.
    The thesis uses another system for this; ours is as simple as possible. A form that training
    lacks has the senses of its lemma (`LemmaGuess`): `breaking` those of `break`.

    # Parameters

    vocab : `Vocabulary`
    dim : `int`
        Width of the vectors of words.
    """

    candidates: torch.Tensor

    def __init__(self, vocab: Vocabulary, dim: int) -> None:
        super().__init__()
        self._rolesets = vocab.get_index_to_token_vocabulary(ROLESETS)
        number = vocab.get_token_to_index_vocabulary(ROLESETS)
        self._keys = vocab.get_token_to_index_vocabulary(KEY_LABELS)
        of_key: dict[str, list[int]] = {key: [] for key in self._keys}
        for entry in vocab.get_token_to_index_vocabulary(KEYED):
            key, _, roleset = entry.rpartition("\t")
            if key in of_key and roleset in number:
                of_key[key].append(number[roleset])
        names = self._rolesets
        self._lemmas_of = {
            key: [split_roleset(names[sense])[0] for sense in some] for key, some in of_key.items()
        }
        self._lemmas = LemmaGuess(
            (key, lemma) for key, some in self._lemmas_of.items() for lemma in some
        )
        width = max([1, *map(len, of_key.values())])
        rows = [sorted(senses) + [UNSEEN] * (width - len(senses)) for senses in of_key.values()]
        table = torch.tensor(rows or [[UNSEEN] * width])
        self.register_buffer("candidates", table, persistent=False)
        self.weight = torch.nn.Parameter(torch.randn(max(len(number), 1), dim) * dim**-0.5)
        self.bias = torch.nn.Parameter(torch.zeros(max(len(number), 1)))

    def scores(self, words: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """
        Returns the scores of the candidates of `words` `(n, dim)` with the numbers of their `keys`
        `(n,)`: `(n, candidates)`, -inf for missing candidates.
        """
        senses = self.candidates[keys]
        sense_scores = (
            torch.einsum("nd,ncd->nc", words, self.weight[senses.clamp(min=0)]) + self.bias[senses]
        )
        return sense_scores.masked_fill(senses == UNSEEN, -torch.inf)

    def loss(self, words: torch.Tensor, keys: torch.Tensor, senses: torch.Tensor) -> torch.Tensor:
        """Returns the sum of cross-entropies (nats) of known senses, `(n,)`."""
        labelled = ((keys != UNSEEN) & (senses != UNSEEN)).nonzero().flatten()
        if not len(labelled):
            return words.new_zeros(())
        keys, senses = keys[labelled], senses[labelled]
        place = (self.candidates[keys] == senses.unsqueeze(1)).int().argmax(1)
        return F.cross_entropy(self.scores(words[labelled], keys).float(), place, reduction="sum")

    def best(self, words: torch.Tensor, keys: list[str], lemmas: list[Optional[str]]) -> list[str]:
        """
        Returns the roleset of each word `(n, dim)`. If `lemmas` gives the lemma of its roleset, the
        result is one of the lemma's senses, the first sense if none is known.
        """
        key_numbers = [self._known(*pair) for pair in zip(keys, lemmas)]
        numbers = torch.tensor([number or 0 for number in key_numbers], device=words.device)
        scores = self.scores(words, numbers).tolist() if keys else []
        tables = self.candidates[numbers].tolist() if keys else []
        rolesets = []
        for key, lemma, number, senses, row in zip(keys, lemmas, key_numbers, tables, scores):
            ranked = sorted(zip(row, senses), reverse=True) if number is not None else []
            names = [self._rolesets[number] for _, number in ranked if number != UNSEEN]
            names = [name for name in names if lemma in (None, split_roleset(name)[0])]
            rolesets.append(names[0] if names else f"{lemma or self._lemmas.best(key)}.{FIRST}")
        return rolesets

    def _known(self, key: str, lemma: Optional[str]) -> Optional[int]:
        """
        Returns the number of the entry with the senses of a word: its own, if some have the given
        lemma; else that of its lemma.
        """
        if key in self._keys and (lemma is None or lemma in self._lemmas_of[key]):
            return self._keys[key]
        return self._keys.get((self._lemmas.known(key) if lemma is None else lemma) or "")
