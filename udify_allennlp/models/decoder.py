"""What every task's decoder can do."""

from typing import Dict, List, Tuple

import torch
from allennlp.common import Registrable

from udify_allennlp.conllu import Sentence

Columns = Dict[str, List[str]]
"""New values for the columns of one sentence, as `Sentence.replace` takes them."""


class Decoder(torch.nn.Module, Registrable):
    """
    One task: from word vectors to a loss in training, to columns of CoNLL-U in prediction.

    A subclass names in `targets` the instance fields that hold its gold labels.
    """

    targets: Tuple[str, ...] = ()

    def loss(
        self, words: torch.Tensor, mask: torch.Tensor, gold: Dict[str, torch.Tensor]
    ) -> torch.Tensor:
        """
        A scalar (nats, mean over words) of `words` `(batch, n, dim)`, with `mask` `(batch, n)` and
        the `targets` in `gold`, each `(batch, n)`.
        """
        raise NotImplementedError

    def predict(
        self, words: torch.Tensor, mask: torch.Tensor, sentences: List[Sentence]
    ) -> List[Columns]:
        """The predicted columns of each sentence of the batch, as strings."""
        raise NotImplementedError
