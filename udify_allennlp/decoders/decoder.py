"""What every task's decoder can do."""

from typing import Dict, List, Sequence, Tuple

import torch
from allennlp.common import Registrable

from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.sentence import Columns, Sentence


class Decoder(torch.nn.Module, Registrable):
    """
    One task: from word vectors to a loss in training, to columns of CoNLL-U in prediction.

    A subclass names in `targets` the instance fields that hold its gold labels.
    """

    targets: Tuple[str, ...] = ()

    def loss(
        self, words: torch.Tensor, layout: Layout, gold: Dict[str, torch.Tensor]
    ) -> torch.Tensor:
        """
        A scalar (nats, mean over words) of `words` `(words, dim)`, all words of the batch in the
        order of `layout`, and of the `targets` in `gold`, each `(words,)`. Labels may still be on
        the CPU: a decoder moves what it needs, and never makes the CPU wait for the GPU.
        """
        raise NotImplementedError

    def predict(
        self, words: torch.Tensor, layout: Layout, sentences: Sequence[Sentence]
    ) -> List[Columns]:
        """The predicted columns of each sentence of the batch, as strings."""
        raise NotImplementedError
