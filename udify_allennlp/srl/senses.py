"""The senses of predicates: for each lemma, a choice among those that training had for it."""

from typing import Dict, List, Optional

import torch
import torch.nn.functional as F
from allennlp.data import Vocabulary

from udify_allennlp.data.collate import UNSEEN
from udify_allennlp.srl.lemma_guess import LemmaGuess
from udify_allennlp.srl.tasks import KEY_LABELS, KEYED, ROLESETS
from udify_allennlp.text.roles.predicates import split_roleset

FIRST = "01"
"""The sense of a lemma that training had not: PropBank begins with it."""


class SenseClassifier(torch.nn.Module):
    """
    A linear layer over all senses, of which each word chooses among those of its lemma or form. The
    thesis takes a system of others for this; ours is as simple as can be. A form that training did
    not have has the senses of its lemma (`LemmaGuess`): `breaking` those of `break`.

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
        of_key: Dict[str, List[int]] = {key: [] for key in self._keys}
        for entry in vocab.get_token_to_index_vocabulary(KEYED):
            key, _, roleset = entry.rpartition("\t")
            if key in of_key and roleset in number:
                of_key[key].append(number[roleset])
        names = self._rolesets
        self._lemmas_of = {
            key: [split_roleset(names[own])[0] for own in some] for key, some in of_key.items()
        }
        self._lemmas = LemmaGuess(
            (key, lemma) for key, some in self._lemmas_of.items() for lemma in some
        )
        width = max([1, *map(len, of_key.values())])
        rows = [sorted(own) + [UNSEEN] * (width - len(own)) for own in of_key.values()]
        table = torch.tensor(rows or [[UNSEEN] * width])
        self.register_buffer("candidates", table, persistent=False)
        self.weight = torch.nn.Parameter(torch.randn(max(len(number), 1), dim) * dim**-0.5)
        self.bias = torch.nn.Parameter(torch.zeros(max(len(number), 1)))

    def scores(self, words: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """Of `words` `(n, dim)` with the numbers of their `keys` `(n,)`, of their candidates:
        `(n, candidates)`, -inf where there are fewer."""
        own = self.candidates[keys]
        found = torch.einsum("nd,ncd->nc", words, self.weight[own.clamp(min=0)]) + self.bias[own]
        return found.masked_fill(own == UNSEEN, -torch.inf)

    def loss(self, words: torch.Tensor, keys: torch.Tensor, senses: torch.Tensor) -> torch.Tensor:
        """The sum of cross-entropies (nats) of known senses, `(n,)`."""
        known = ((keys != UNSEEN) & (senses != UNSEEN)).nonzero().flatten()
        if not len(known):
            return words.new_zeros(())
        keys, senses = keys[known], senses[known]
        place = (self.candidates[keys] == senses.unsqueeze(1)).int().argmax(1)
        return F.cross_entropy(self.scores(words[known], keys).float(), place, reduction="sum")

    def best(self, words: torch.Tensor, keys: List[str], lemmas: List[Optional[str]]) -> List[str]:
        """
        The roleset of each word `(n, dim)`. Where `lemmas` gives the lemma of its roleset, it is
        one of these, the first sense if none is known.
        """
        known = [self._known(*pair) for pair in zip(keys, lemmas)]
        numbers = torch.tensor([number or 0 for number in known], device=words.device)
        scores = self.scores(words, numbers).tolist() if keys else []
        tables = self.candidates[numbers].tolist() if keys else []
        found = []
        for key, lemma, number, own, row in zip(keys, lemmas, known, tables, scores):
            ranked = sorted(zip(row, own), reverse=True) if number is not None else []
            names = [self._rolesets[number] for _, number in ranked if number != UNSEEN]
            names = [name for name in names if lemma in (None, split_roleset(name)[0])]
            found.append(names[0] if names else f"{lemma or self._lemmas.best(key)}.{FIRST}")
        return found

    def _known(self, key: str, lemma: Optional[str]) -> Optional[int]:
        """
        The number of what has the senses of a word: of itself, if some are of the lemma that is
        given; else of its lemma.
        """
        if key in self._keys and (lemma is None or lemma in self._lemmas_of[key]):
            return self._keys[key]
        return self._keys.get((self._lemmas.known(key) if lemma is None else lemma) or "")
